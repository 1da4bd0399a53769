/* What lv_tlsf.c needs of LVGL: its pools' largest size. */
#ifndef MALLOOM_LVGL_LV_CONF_INTERNAL_H
#define MALLOOM_LVGL_LV_CONF_INTERNAL_H

#define LV_MEM_CUSTOM 0
#define LV_MEM_SIZE (16U << 20)
#define LV_UNUSED(value) ((void)(value))

#endif
