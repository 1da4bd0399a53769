// Containers of the C++ library: it balances the tree and links the list, whose nodes are requested here.
// proves: 48 pool
// proves: 32 pool
#include <algorithm>
#include <cstdio>
#include <list>
#include <map>
#include <vector>

struct point {
    long x, y;
};

int main() {
    std::map<long, long> tree;
    std::list<point> points;
    for (long i = 0; i < 300; ++i) {
        tree[i * 97 % 211] += i;
        points.push_front({i, 2 * i});
    }
    for (long i = 0; i < 100; ++i) tree.erase(3 * i);
    points.reverse();
    std::list<point> others(points.begin(), points.end());
    points.splice(points.end(), others);
    points.remove_if([](const point& each) { return each.x % 3 == 0; });
    long sum = 0;
    for (const auto& [key, value] : tree) sum = sum * 31 + key + value;
    for (const point& each : points) sum = sum * 37 + each.x - each.y;
    std::vector<long> sorted;
    for (auto at = tree.rbegin(); at != tree.rend(); ++at) sorted.push_back(at->second);
    std::sort(sorted.begin(), sorted.end());
    for (const long each : sorted) sum = sum * 41 + each;
    std::printf("%ld %zu %zu\n", sum, tree.size(), points.size());
    return 0;
}
