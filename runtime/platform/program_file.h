// What a file says of the program in it, before it is started.
#pragma once

namespace malloom::platform {

/// Why no library of malloom's can be preloaded into a program, in a few words that follow its name; null
/// where nothing is known against it, or the file cannot be read. A script is followed to its interpreter.
/// Fit for signal handlers and for a child of vfork: it reads the file with little of the stack, takes no
/// lock and leaves errno as it is.
const char* why_not_preloaded(const char* path);

}  // namespace malloom::platform
