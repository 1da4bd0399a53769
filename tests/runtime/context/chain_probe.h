// The place where the tests of call chains look up the stack.
#pragma once

/// Walks the stack from its caller, by malloom and by backtrace().
extern "C" void chain_probe();
