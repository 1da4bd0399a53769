/* Without assertions, as all heaps are measured. */
#ifndef MALLOOM_LVGL_LV_ASSERT_H
#define MALLOOM_LVGL_LV_ASSERT_H

#define LV_ASSERT(holds) ((void)0)

#endif
