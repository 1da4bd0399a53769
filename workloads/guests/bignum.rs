//! A guest with big numbers: powers modulo random moduli. Each result of an operation is a number of its own.
//! `bignum SEED POWERS` prints the last digits of a sum.

mod random;

use random::{arguments, Random};
use std::cmp::Ordering;

/// Digits of 32 bits, the lowest first, without leading zeros.
#[derive(Clone)]
struct Number(Vec<u32>);

impl Number {
    fn trimmed(mut digits: Vec<u32>) -> Number {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Number(digits)
    }

    fn product(&self, other: &Number) -> Number {
        let mut digits = vec![0; self.0.len() + other.0.len()];
        for (at, mine) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (further, theirs) in other.0.iter().enumerate() {
                let sum =
                    u64::from(digits[at + further]) + u64::from(*mine) * u64::from(*theirs) + carry;
                digits[at + further] = sum as u32;
                carry = sum >> 32;
            }
            digits[at + other.0.len()] = carry as u32;
        }
        Number::trimmed(digits)
    }

    fn less(&self, other: &Number) -> Number {
        let mut digits = self.0.clone();
        let mut borrow = 0;
        for (at, digit) in digits.iter_mut().enumerate() {
            let taken =
                i64::from(*digit) - i64::from(other.0.get(at).copied().unwrap_or(0)) - borrow;
            *digit = taken as u32;
            borrow = i64::from(taken < 0);
        }
        Number::trimmed(digits)
    }

    fn shifted(&self, bits: usize) -> Number {
        let mut digits = vec![0; bits / 32];
        let mut carry = 0;
        for digit in &self.0 {
            let wide = u64::from(*digit) << (bits % 32) | carry;
            digits.push(wide as u32);
            carry = wide >> 32;
        }
        digits.push(carry as u32);
        Number::trimmed(digits)
    }

    fn bits(&self) -> usize {
        self.0
            .last()
            .map_or(0, |top| self.0.len() * 32 - top.leading_zeros() as usize)
    }

    fn compared(&self, other: &Number) -> Ordering {
        self.0
            .len()
            .cmp(&other.0.len())
            .then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// By shifting and subtracting.
    fn modulo(&self, modulus: &Number) -> Number {
        let mut rest = self.clone();
        while rest.compared(modulus) != Ordering::Less {
            let by = rest.bits() - modulus.bits();
            let mut part = modulus.shifted(by);
            if rest.compared(&part) == Ordering::Less {
                part = modulus.shifted(by - 1);
            }
            rest = rest.less(&part);
        }
        rest
    }
}

fn power(base: &Number, exponent: u32, modulus: &Number) -> Number {
    let mut result = Number(vec![1]);
    for bit in (0..32).rev() {
        result = result.product(&result).modulo(modulus);
        if exponent >> bit & 1 == 1 {
            result = result.product(base).modulo(modulus);
        }
    }
    result
}

fn number(random: &mut Random, digits: usize) -> Number {
    Number((0..digits).map(|_| random.next() as u32 | 1).collect())
}

fn main() {
    let (mut random, count) = arguments();
    let mut sum = 0u32;
    for _ in 0..count {
        let digits = 4 + random.next() as usize % 13;
        let (base, modulus) = (number(&mut random, digits), number(&mut random, digits));
        sum = sum.wrapping_add(power(&base, random.next() as u32, &modulus).0[0]);
    }
    println!("{sum}");
}
