// Loads a library, uses it and unloads it, again and again: plugin_host LIBRARY
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef long (*Use)(int times);

int main(int count, char** arguments) {
    long sum = 0;
    for (int round = 0; round < 10 && count == 2; ++round) {
        void* const library = dlopen(arguments[1], RTLD_NOW);
        if (library == NULL) return 1;
        const Use use = (Use)(uintptr_t)dlsym(library, "use_both");
        sum += use(2000);
        dlclose(library);
    }
    printf("%ld\n", sum);
    return 0;
}
