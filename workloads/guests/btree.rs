//! A guest with an ordered map, as a state of accounts: accounts are opened, changed, closed and gone through.
//! `btree SEED ROUNDS` prints one number.

mod random;

use random::arguments;
use std::collections::BTreeMap;

struct Account {
    balance: u64,
    history: Vec<u32>,
}

fn main() {
    let (mut random, count) = arguments();
    let mut accounts: BTreeMap<[u8; 20], Box<Account>> = BTreeMap::new();
    let mut names: Vec<[u8; 20]> = Vec::new();
    let mut total = 0;
    for round in 0..count {
        let choice = random.below(10);
        if choice < 4 || names.is_empty() {
            let mut name = [0; 20];
            for byte in &mut name {
                *byte = random.below(256) as u8;
            }
            names.push(name);
            let balance = random.below(1_000_000);
            accounts.insert(
                name,
                Box::new(Account {
                    balance,
                    history: Vec::new(),
                }),
            );
        } else if choice < 7 {
            let at = random.below(names.len() as u64) as usize;
            let account = accounts.get_mut(&names[at]).unwrap();
            account.balance += random.below(100);
            account.history.push(round as u32);
        } else if choice < 9 || names.len() > 1500 {
            let at = random.below(names.len() as u64) as usize;
            let closed = accounts.remove(&names.swap_remove(at)).unwrap();
            total += closed.balance + closed.history.len() as u64;
        } else {
            let first = names[random.below(names.len() as u64) as usize];
            total += accounts
                .range(first..)
                .take(16)
                .map(|(_, each)| each.balance)
                .sum::<u64>();
        }
    }
    println!("{total}");
}
