//! Two bump pointers: nothing is ever freed, zeros are what the memory has at first, and an object that grows is
//! copied.
use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::mem::size_of;
use core::ptr;

pub struct Bump {
    next: Cell<usize>,
    end: Cell<usize>,
}

unsafe impl Sync for Bump {}

impl Bump {
    /// The least that an allocator can be.
    #[inline]
    fn least(&self, layout: Layout) -> *mut u8 {
        let object = (self.next.get() + layout.align() - 1) & layout.align().wrapping_neg();
        let end = object + layout.size();
        if end > self.end.get() {
            return ptr::null_mut();
        }
        self.next.set(end);
        object as *mut u8
    }

    /// As RISC Zero's guests have by default (risc0-zkvm-platform 2.2.3), whose own builds for its target only:
    /// no object begins within a word, and a sum that wraps around is refused. Where that one ends the program, null
    /// is the answer here.
    #[inline]
    fn risc_zeros(&self, layout: Layout) -> *mut u8 {
        let below = layout.align().max(size_of::<usize>()) - 1;
        let next = self.next.get();
        let object = if next & below == 0 { next } else { (next | below) + 1 };
        let end = match object.checked_add(layout.size()) {
            Some(end) => end,
            None => return ptr::null_mut(),
        };
        if end > self.end.get() {
            return ptr::null_mut();
        }
        self.next.set(end);
        object as *mut u8
    }
}

unsafe impl GlobalAlloc for Bump {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if cfg!(feature = "bump-risc-zero") {
            self.risc_zeros(layout)
        } else {
            self.least(layout)
        }
    }

    #[inline]
    unsafe fn dealloc(&self, _object: *mut u8, _layout: Layout) {}

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.alloc(layout)
    }
}

#[global_allocator]
pub static HEAP: Bump = Bump {
    next: Cell::new(0),
    end: Cell::new(0),
};

pub unsafe fn open(memory: *mut u8, bytes: usize) {
    HEAP.next.set(memory as usize);
    HEAP.end.set(memory as usize + bytes);
}
