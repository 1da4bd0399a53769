// The C library's answer to impossible sizes is nullptr; the sanitizers' allocators, which take its place in
// checked builds, end the program unless they are told.
extern "C" const char* __asan_default_options() {
    return "allocator_may_return_null=1";
}
// Children of a fork start threads, whatever ThreadSanitizer thinks of that.
extern "C" const char* __tsan_default_options() {
    return "allocator_may_return_null=1:die_after_fork=0";
}
