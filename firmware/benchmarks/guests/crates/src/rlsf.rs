//! Its TLSF without a lock, with the lists that embedded-alloc gives it.
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::{self, NonNull};

use rlsf::Tlsf;

type Lists = Tlsf<'static, usize, usize, { usize::BITS as usize }, { usize::BITS as usize }>;

pub struct Heap(UnsafeCell<Lists>);

unsafe impl Sync for Heap {}

fn address(object: Option<NonNull<u8>>) -> *mut u8 {
    object.map_or(ptr::null_mut(), NonNull::as_ptr)
}

unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        address((*self.0.get()).allocate(layout))
    }

    unsafe fn dealloc(&self, object: *mut u8, layout: Layout) {
        (*self.0.get()).deallocate(NonNull::new_unchecked(object), layout.align());
    }

    unsafe fn realloc(&self, object: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        let wanted = Layout::from_size_align_unchecked(bytes, layout.align());
        address((*self.0.get()).reallocate(NonNull::new_unchecked(object), wanted))
    }
}

#[global_allocator]
pub static HEAP: Heap = Heap(UnsafeCell::new(Lists::new()));

pub unsafe fn open(memory: *mut u8, bytes: usize) {
    let block = ptr::slice_from_raw_parts_mut(memory, bytes);
    (*HEAP.0.get()).insert_free_block_ptr(NonNull::new_unchecked(block));
}
