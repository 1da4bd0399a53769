// Whoever links this object has pools that ask for huge pages early: `--undefined` takes it from the archive
// (-fmalloom-huge=early). Hidden, so that each program and library decides for itself.
extern "C" {
extern const char malloom_early_huge_pages;
[[gnu::visibility("hidden")]] const char malloom_early_huge_pages = 1;
}
