/* What lv_tlsf.c calls where it moves an object, which no replay asks for. */
#ifndef MALLOOM_LVGL_LV_MEM_H
#define MALLOOM_LVGL_LV_MEM_H

#include <stddef.h>

void* lv_memcpy(void* to, const void* from, size_t bytes);

#endif
