//! An allocator behind firmware/benchmarks/guests/guest_heap.h: what a guest's global allocator would be, called as
//! Rust calls it, through one function that is not inlined.
#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;

#[cfg_attr(feature = "bins", path = "bins.rs")]
#[cfg_attr(feature = "bump", path = "bump.rs")]
#[cfg_attr(feature = "rlsf", path = "rlsf.rs")]
#[cfg_attr(feature = "talc", path = "talc.rs")]
#[cfg_attr(feature = "embedded-alloc", path = "embedded_alloc.rs")]
mod measured;

extern "C" {
    fn board_exit(status: i32) -> !;
}

#[panic_handler]
fn panicked(_: &PanicInfo) -> ! {
    unsafe { board_exit(101) }
}

unsafe fn layout(bytes: usize, alignment: usize) -> Layout {
    Layout::from_size_align_unchecked(bytes, alignment)
}

#[no_mangle]
pub unsafe extern "C" fn guest_open(memory: *mut u8, bytes: usize) {
    measured::open(memory, bytes);
}

#[no_mangle]
pub unsafe extern "C" fn guest_alloc(bytes: usize, alignment: usize) -> *mut u8 {
    measured::HEAP.alloc(layout(bytes, alignment))
}

#[no_mangle]
pub unsafe extern "C" fn guest_alloc_zeroed(bytes: usize, alignment: usize) -> *mut u8 {
    measured::HEAP.alloc_zeroed(layout(bytes, alignment))
}

#[no_mangle]
pub unsafe extern "C" fn guest_free(object: *mut u8, bytes: usize, alignment: usize) {
    measured::HEAP.dealloc(object, layout(bytes, alignment));
}

#[no_mangle]
pub unsafe extern "C" fn guest_resize(
    object: *mut u8,
    bytes: usize,
    alignment: usize,
    wanted: usize,
) -> *mut u8 {
    measured::HEAP.realloc(object, layout(bytes, alignment), wanted)
}
