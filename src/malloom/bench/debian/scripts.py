"""Scripts for interpreters, the same for every input of theirs, and the data that they read."""

from pathlib import Path

from malloom.bench.debian.documents import write_stations
from malloom.bench.debian.draw import Draw

PYTHON = """
import collections, json, sys

class Station:
    def __init__(self, name):
        self.name, self.days, self.words = name, {}, collections.Counter()

    def add(self, observation):
        self.days.setdefault(observation["day"], []).append(observation["values"])
        self.words.update(observation["remark"].split())

    def means(self):
        found = collections.defaultdict(list)
        for day, entries in self.days.items():
            for entry in entries:
                for kind, value in entry.items():
                    found[kind].append((value, day))
        return {kind: sum(value for value, _ in values) / len(values) for kind, values in found.items()}

stations = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for observation in json.load(file):
        name = observation["station"]
        if name not in stations:
            stations[name] = Station(name)
        stations[name].add(observation)
for name in sorted(stations):
    station = stations[name]
    means = ", ".join(f"{kind} {mean:.2f}" for kind, mean in sorted(station.means().items()))
    often = sorted(station.words.items(), key=lambda each: (-each[1], each[0]))[:3]
    print(name, len(station.days), means, often)
"""

RUBY = """
Visit = Struct.new(:time, :page, :bytes)
visitors = Hash.new { |hash, name| hash[name] = [] }
File.foreach(ARGV[0], chomp: true) do |line|
  next unless line =~ %r{\\A(\\S+) \\[(\\d+)\\] "GET (\\S+)" (\\d+) (\\d+)\\z}
  visitors[$1] << Visit.new($2.to_i, $3, $5.to_i) if $4 == "200"
end
pages = Hash.new(0)
paths = Hash.new(0)
visitors.each_value do |visits|
  visits.sort_by!(&:time)
  visits.each { |visit| pages[visit.page] += visit.bytes }
  visits.each_cons(2) { |before, after| paths["#{before.page} > #{after.page}"] += 1 }
end
pages.sort_by { |page, bytes| [-bytes, page] }.first(50).each { |page, bytes| puts "#{page} #{bytes}" }
paths.sort_by { |path, count| [-count, path] }.first(50).each { |path, count| puts "#{path} #{count}" }
longest = visitors.map { |name, visits| [visits.last.time - visits.first.time, name] }.sort.reverse
longest.first(20).each { |time, name| puts format("%s %d s", name, time) }
"""

PERL = """
use strict;
use warnings;
my (%visitors, %pages, %hours);
open(my $file, "<", $ARGV[0]) or die "cannot read: $!";
while (my $line = <$file>) {
    chomp $line;
    my ($who, $time, $page, $status, $bytes) =
        $line =~ m{^(\\S+) \\[(\\d+)\\] "GET (\\S+)" (\\d+) (\\d+)$} or next;
    push @{$visitors{$who}}, { time => $time, page => $page, bytes => $bytes };
    my @folders = split m{/}, $page;
    $pages{join "/", @folders[0 .. $_]}{$status}++ for 1 .. $#folders;
    $hours{int($time / 3600) % 24} += $bytes;
}
for my $page (sort keys %pages) {
    my $by = $pages{$page};
    print "$page ", join(" ", map { "$_:$by->{$_}" } sort keys %$by), "\\n";
}
print "$_ $hours{$_}\\n" for sort { $a <=> $b } keys %hours;
for my $who (sort { @{$visitors{$b}} <=> @{$visitors{$a}} || $a cmp $b } keys %visitors) {
    my @visits = sort { $a->{time} <=> $b->{time} || $a->{page} cmp $b->{page} } @{$visitors{$who}};
    print "$who ", scalar(@visits), " $visits[0]{page} $visits[-1]{page}\\n";
}
"""

TCL = """
set file [open [lindex $argv 0]]
fconfigure $file -encoding utf-8
set places [dict create]
set number 0
while {[gets $file line] >= 0} {
    incr number
    foreach word [split $line " "] {
        set word [string trim $word ",."]
        if {$word ne ""} {
            dict lappend places $word $number
        }
    }
}
close $file
set found [list]
dict for {word lines} $places {
    lappend found [list $word [llength $lines] [lrange [lsort -integer -unique $lines] 0 9]]
}
foreach entry [lsort -integer -decreasing -index 1 [lsort -index 0 $found]] {
    lassign $entry word count lines
    puts [format "%-20s %6d  %s" $word $count [join $lines ", "]]
}
"""


def write_python(folder: Path, draw: Draw, size: int) -> None:
    """Observations that a script reads into objects and sums up."""
    (folder / "stations.py").write_text(PYTHON, encoding="utf-8")
    write_stations(folder, draw, size)


def write_ruby(folder: Path, draw: Draw, size: int) -> None:
    """A web server's log of so many lines: which pages, and which after which."""
    (folder / "visits.rb").write_text(RUBY, encoding="utf-8")
    _write_log(folder / "access.log", draw, size)


def write_perl(folder: Path, draw: Draw, size: int) -> None:
    """The same kind of log: how often each folder was asked for, and who was there how long."""
    (folder / "folders.pl").write_text(PERL, encoding="utf-8")
    _write_log(folder / "access.log", draw, size)


def _write_log(path: Path, draw: Draw, size: int) -> None:
    deepest, names = draw.between(1, 5), draw.vocabulary(draw.between(20, 200))
    visitors = [f"10.{draw.below(256)}.{draw.below(256)}.{draw.below(256)}" for _ in range(size // 20 + 1)]
    served, time = draw.share(0.7, 0.98), 1_000_000_000
    with path.open("w", encoding="utf-8") as file:
        for _ in range(size):
            time += draw.below(20)
            page = "/".join(draw.often_first(names) for _ in range(draw.between(1, deepest)))
            status = 200 if draw.chance(served) else draw.one_of((301, 404, 500))
            who = draw.often_first(visitors)
            file.write(f'{who} [{time}] "GET /{page}" {status} {draw.below(100_000)}\n')


def write_tcl(folder: Path, draw: Draw, size: int) -> None:
    """A text of so many lines, of which a script makes an index."""
    (folder / "index.tcl").write_text(TCL, encoding="utf-8")
    words, longest = draw.vocabulary(draw.between(500, 5000)), draw.between(6, 20)
    with (folder / "text.txt").open("w", encoding="utf-8") as file:
        for _ in range(size):
            line = " ".join(draw.often_first(words) for _ in range(draw.between(1, longest)))
            file.write(f"{line}.\n" if draw.chance(0.3) else f"{line},\n")


def write_sql(folder: Path, draw: Draw, size: int) -> None:
    """A shop's tables of so many sales, in statements that fill them, and questions to them."""
    towns, goods = draw.vocabulary(draw.between(20, 200)), draw.between(50, 500)
    customers, words = size // draw.between(3, 20) + 1, draw.between(1, 12)
    people = (
        f"insert into customer values({number}, '{draw.word()} {draw.word()}', '{draw.often_first(towns)}');"
        for number in range(customers)
    )
    sales = (
        f"insert into sale values({number}, {draw.below(customers)}, {draw.below(goods)}, "
        f"{draw.below(9999)}, '{draw.sentence(words)}');"
        for number in range(size)
    )
    lines = [*TABLES, "begin;", *people, *sales, "commit;", *QUESTIONS]
    (folder / "shop.sql").write_text("\n".join(lines) + "\n", encoding="utf-8")


TABLES = (
    "create table customer(id integer primary key, name text, town text);",
    "create table sale(id integer primary key, customer integer, good integer, cents integer, note text);",
)
QUESTIONS = (
    "create index sale_customer on sale(customer);",
    "create index sale_good on sale(good, cents);",
    "select town, count(*), sum(cents), max(length(note))"
    " from sale join customer on customer.id = sale.customer group by town order by town;",
    "select good, avg(cents), count(distinct customer) from sale group by good order by 3 desc, 1 limit 20;",
    "with spent as (select customer, sum(cents) as cents from sale group by customer)"
    " select name, cents, rank() over (order by cents desc) from spent join customer on id = customer"
    " order by cents desc, name limit 30;",
    "select substr(note, 1, 3) as begins, group_concat(good)"
    " from (select note, good from sale order by id limit 2000) group by begins order by begins limit 50;",
    "update sale set cents = cents + 1 where customer in (select id from customer where town like 'k%');",
    "delete from sale where id % 3 = 0;",
    "select count(*), sum(cents) from sale;",
)
