// A library for dlopen: with its own build-id, unlike its twin (CHAIN_LIBRARY_TWIN), so a reload at the same
// place can be told apart.
extern "C" [[gnu::visibility("default")]] int call_back(void (*callee)()) {
#ifdef CHAIN_LIBRARY_TWIN
    volatile char other_frame[200] = {};
    callee();
    return other_frame[0] + 2;
#else
    callee();
    return 1;
#endif
}
