//! Without a lock.
use core::alloc::{GlobalAlloc, Layout};

use talc::source::Manual;
use talc::TalcCell;

pub struct Heap(TalcCell<Manual>);

unsafe impl Sync for Heap {}

unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.0.alloc(layout)
    }

    unsafe fn dealloc(&self, object: *mut u8, layout: Layout) {
        self.0.dealloc(object, layout);
    }

    unsafe fn realloc(&self, object: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        self.0.realloc(object, layout, bytes)
    }
}

#[global_allocator]
pub static HEAP: Heap = Heap(TalcCell::new(Manual));

pub unsafe fn open(memory: *mut u8, bytes: usize) {
    HEAP.0.claim(memory, bytes);
}
