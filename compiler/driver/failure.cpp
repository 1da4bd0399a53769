#include "compiler/driver/failure.h"

#include <stdio.h>
#include <stdlib.h>

#include <string>

namespace malloom::driver {

namespace {

void say(const std::string& text) {
    fprintf(stderr, "%s: %s\n", program_name, text.c_str());
}

}  // namespace

void fail(Status status, std::string_view problem, std::string_view remedy) {
    say("error: " + std::string(problem) + "; " + std::string(remedy));
    exit(status);
}

void warn(std::string_view problem) {
    say("warning: " + std::string(problem));
}

}  // namespace malloom::driver
