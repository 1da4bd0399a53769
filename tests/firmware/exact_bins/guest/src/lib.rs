//! What programs in Rust do with an allocator: a map, growing vectors, text, shared objects, zeros, alignments.
//! Ends with status 0 where all of it holds.
//! On Linux with std, as older compilers have no program without it that makes objects.
#![cfg_attr(not(target_os = "linux"), no_std)]

extern crate alloc;

use alloc::alloc::{alloc_zeroed, dealloc};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;

#[global_allocator]
static HEAP: heap::Heap = heap::Heap::new();

const ARENA_BYTES: usize = 1 << 20;

#[repr(align(16))]
struct Arena(UnsafeCell<[u8; ARENA_BYTES]>);
unsafe impl Sync for Arena {}
static ARENA: Arena = Arena(UnsafeCell::new([0; ARENA_BYTES]));

extern "C" {
    fn board_write(text: *const u8);
}

#[cfg(not(target_os = "linux"))]
#[panic_handler]
fn panicked(_: &core::panic::PanicInfo) -> ! {
    extern "C" {
        fn board_exit(status: i32) -> !;
    }
    unsafe {
        board_write(b"panicked\n\0".as_ptr());
        board_exit(1)
    }
}

#[repr(align(64))]
struct Line([u8; 64]);

fn maps(random: &mut u32) {
    let mut map = BTreeMap::new();
    for round in 0..3000u32 {
        let key = chance(random, 500);
        match map.remove(&key) {
            Some(text) => assert_eq!(text, key.to_string()),
            None => drop(map.insert(key, key.to_string())),
        }
        assert!(map.len() <= round as usize + 1);
    }
    assert!(map.iter().all(|(key, text)| key.to_string() == *text));
}

fn vectors(random: &mut u32) {
    let mut all: Vec<Vec<u32>> = Vec::new();
    for length in 0..60 {
        all.push((0..length * 7).collect());
        let other = chance(random, all.len() as u32) as usize;
        all[other].push(1);
        all[other].shrink_to_fit();
    }
    for (length, each) in all.iter().enumerate() {
        assert!(each
            .iter()
            .take(length * 7)
            .enumerate()
            .all(|(at, number)| at as u32 == *number));
    }
}

fn texts() {
    let mut text = String::new();
    for number in 0..2000 {
        text.push_str(&number.to_string());
    }
    assert!(text.starts_with("0123456789101112"));
    assert_eq!(text.len(), 10 + 90 * 2 + 900 * 3 + 1000 * 4);
}

fn alignments() {
    let lines: Vec<Box<Line>> = (0..20).map(|each| Box::new(Line([each; 64]))).collect();
    for (at, line) in lines.iter().enumerate() {
        assert_eq!(&**line as *const Line as usize % 64, 0);
        assert!(line.0.iter().all(|byte| *byte as usize == at));
    }
    let shared = Rc::new([7u64; 9]);
    let again = Rc::clone(&shared);
    drop(shared);
    assert_eq!(again[8], 7);
}

fn zeros() {
    for bytes in [1, 8, 24, 100, 5000] {
        let layout = Layout::from_size_align(bytes, 8).unwrap();
        unsafe {
            for _ in 0..2 {
                let object = alloc_zeroed(layout);
                assert!((0..bytes).all(|at| *object.add(at) == 0));
                object.write_bytes(0xff, bytes);
                dealloc(object, layout);
            }
        }
    }
}

/// What no bin holds, and what is in place.
fn limits() {
    unsafe {
        assert!(HEAP
            .alloc(Layout::from_size_align(heap::MOST_BYTES / 2, 8).unwrap())
            .is_null());
        assert!(HEAP
            .alloc(Layout::from_size_align(64, 1 << (usize::BITS - 2)).unwrap())
            .is_null());
        let layout = Layout::from_size_align(50, 1).unwrap();
        let object = HEAP.alloc(layout);
        assert!(HEAP.usable(object) >= 50);
        assert_eq!(HEAP.realloc(object, layout, 51), object);
        HEAP.dealloc(object, Layout::from_size_align(51, 1).unwrap());
    }
}

fn chance(random: &mut u32, below: u32) -> u32 {
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    *random % below
}

fn all(random: u32) {
    let mut random = random;
    maps(&mut random);
    vectors(&mut random);
    texts();
    alignments();
    zeros();
    limits();
}

#[no_mangle]
pub extern "C" fn main() -> i32 {
    unsafe {
        assert!(HEAP.alloc(Layout::new::<u64>()).is_null());
        HEAP.open(ARENA.0.get().cast(), ARENA_BYTES);
    }
    all(2463534242);
    let held = HEAP.held();
    assert!(held > 0 && held <= ARENA_BYTES);
    all(2463534242);
    assert_eq!(HEAP.held(), held, "what was given back serves again");
    unsafe { board_write(b"all held\n\0".as_ptr()) };
    0
}
