/* Without messages. */
#ifndef MALLOOM_LVGL_LV_LOG_H
#define MALLOOM_LVGL_LV_LOG_H

#define LV_LOG_ERROR(...) ((void)0)

#endif
