// CEL expressions for rules, one a line, about `spec` of the sample schema.
// Conditions are true, false, errors, or invalid rules. Texts are shown as the message of a rule that never holds.

export const conditions: readonly string[] = lines(String.raw`
self.a == 5
self.a != 5
self.a > self.b && self.b < 0
self.a >= 5 || self.nope == 1
self.a + self.b == 2
self.a - self.b * 2 == 11
self.a / 0 == 1
self.a % 0 == 1
self.a % 3 == 2
-self.a == -5
--self.a == 5
-7 / 2 == -3 && -7 % 2 == -1
self.a / self.b == -1
9223372036854775807 + self.a > 0
-9223372036854775808 - self.a > 0
9223372036854775807 * self.a > 0
-(-9223372036854775808) > 0
-9223372036854775808 / -1 > 0
-9223372036854775808 % -1 == 0
9223372036854775808 > 0
0xff == 255 && 0xFFu == 255u
1u - 2u == 0u
18446744073709551615u + 1u > 0u
3u * 4u == 12u && 7u / 2u == 3u && 7u % 4u == 3u
1u / 0u == 1u
1u % 0u == 1u
self.a > 4.5
self.d > 2
self.d > 2u
self.d == 2.5
self.a == 5.0
dyn(self.a) == 5.0
dyn(self.a) == 5u
self.d / 0.0 > 1.0
self.d * 2.0 == 5.0
1.0 % 2.0 == 1.0
self.a < 9007199254740993.0
9007199254740993 == dyn(9007199254740992.0)
double('NaN') == double('NaN')
double('NaN') < 1.0
1 < double('NaN')
self.s == 'hello'
self.s < 'world' && 'Z' < 'a'
self.s + '!' == 'hello!'
self.s + 1 == 'hello1'
self.s.size() == 5 && size(self.s) == 5
self.t.size() == 13
'\uffff' < '😀'
self.s.contains('ell') && self.s.startsWith('he') && self.s.endsWith('lo')
self.s.contains(self.t)
self.s.matches('^h.*o$')
self.s.matches('(?i)HELLO')
self.s.matches('(')
self.s.matches(self.t + '(')
matches(self.s, 'l+')
'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('^(a+)+$')
self.s.matches(r'\d+') || self.s.matches("\\w+")
self.flag
!self.flag
!!self.flag
self.flag && self.nope
self.flag ? self.a == 5 : self.b == 0
self.flag ? 1 : 'a'
(self.flag ? self.a : self.b) == 5
(self.flag ? self.o : self.o).x == 'ox'
self.a == 5 ? true : 1/0 == 1
1/0 == 1 || true
1/0 == 1 && false
1/0 == 1 || false
true || 1/0 == 1
false && 1/0 == 1
true && 1/0 == 1
1/0 == 1 && 1%0 == 1
self.a
self.s
'x'
1
null
self.flag == null
self.o == null
self.ts == null
self.l == null
self.n == null
has(self.n)
has(self.n) && self.n.size() == 3
has(self.a)
has(self.zzz)
has(self.o.x)
has(self.o.inner.z)
has(self.m.one)
has(self.m['one'])
has(self.l)
has(self)
has(self.s.x)
!has(self.o.y) || self.o.y > 0
has(self.o) && has(self.o.inner) && self.o.inner.z == 26
self.o.inner.w == 'www'
self.o.a__dash__b == 'dash'
self.o.dot__dot__ted == 'dot'
self.o.sl__slash__ash == 'slash'
self.o.__namespace__ == 'ns'
self.o.under__underscores__score == 'us'
self.o.namespace == 'ns'
self.o.a-b == 'dash'
self.o['x'] == 'ox'
self.o.missing == 1
self.m.one == 1
self.m['one'] == 1
self.m['two'] == 1
self.m[self.s] == 1
self.m[1] == 1
'one' in self.m
'two' in self.m
1 in self.m
self.m.size() == 1
self.m == {'one': 1}
self.m == {'one': 1.0}
self.m.all(k, self.m[k] > 0)
self.m.exists(k, k == 'one')
self.m.exists_one(k, self.m[k] == 1)
self.m.map(k, self.m[k]) == [1]
self.m.filter(k, k != 'x') == ['one']
self.mo.all(k, has(self.mo[k].x))
self.mo['p'].x == 'px'
self.mo.p.y == 9
self.l[0] == 3
self.l[7] == 3
self.l[-1] == 3
self.l['0'] == 3
self.l[self.a] == 1
self.l[self.l.size() - 1] == 2
self.l[dyn(1.0)] == 1
self.l[dyn(1u)] == 1
[1, 2][dyn(1.0)] == 2
[1, 2][dyn(1.5)] == 2
[1, 2][dyn('a')] == 2
self.l.size() == 3 && size(self.l) == 3
self.l == [3, 1, 2]
self.l == [3, 1]
self.l == [dyn('x')]
self.l + [4] == [3, 1, 2, 4]
(self.l + [4])[3] == 4
(self.l + self.l).size() == 6
[1] + self.l == [1, 3, 1, 2]
([1] + self.l)[3] == 2
([1] + self.l)[9] == 2
[1] + ['a'] == []
3 in self.l
9 in self.l
'x' in self.l
dyn('x') in self.l
3 in [1, 2, 3]
self.a in [1, 5, 7]
self.a in []
self.s in ['hello', 'world']
self.s in [self.s, self.t]
dyn(self.a) in [5.0]
dyn(self.d) in [2.5, 3]
dyn([1]) in [[1]]
null in [null]
b'a' in [b'a']
self.l.all(x, x > 0)
self.l.all(x, x > 1)
self.l.all(x, 1 / (x - 1) > -5)
self.l.exists(x, x == 2)
self.l.exists(x, 1 / (x - 1) == 1)
self.l.exists(x, 1 / (x - 3) == 100)
self.l.exists_one(x, x == 2)
self.l.existsOne(x, x > 1)
self.l.map(x, x * 2) == [6, 2, 4]
self.l.map(x, x > 1, x * 2) == [6, 4]
self.l.filter(x, x > 1) == [3, 2]
self.l.filter(x, x > 1).map(y, y + 1).exists(z, z == 4)
self.l.all(i, v, i < 3 && v > 0)
self.l.exists(i, v, v == i)
self.l.existsOne(i, v, v == i)
self.l.exists_one(i, v, v > i)
self.l.transformList(i, v, i + v) == [3, 2, 4]
self.l.transformList(i, v, v > 1, i + v) == [3, 4]
self.l.transformMap(i, v, v * 2) == {0: 6, 1: 2, 2: 4}
self.l.transformMap(i, v, v > 1, v * 2) == {0: 6, 2: 4}
self.m.transformMap(k, v, v + 1) == {'one': 2}
self.m.transformMapEntry(k, v, {v: k}) == {1: 'one'}
self.l.transformMapEntry(i, v, {'same': v}).size() == 1
self.m.transformList(k, v, k + string(v)) == ['one1']
self.m.all(k, v, v > 0 && k.size() > 0)
self.l.all(x, x, true)
self.l.all(1, true)
self.l.map(self.a, true)
self.l.all(__result__, true)
self.l.all(x, true, true, true)
self.o.all(x, true)
self.a.all(x, true)
self.any.all(x, x > 0)
self.l.all(x, y > 0)
self.ll.all(inner, inner.all(x, x > 0))
self.ll.exists(inner, inner.exists(x, x == 3))
self.ll.map(x, x.size()) == [2, 0, 1]
self.ll.flatten() == [1, 2, 3]
self.ll == [[1, 2], [], [3]]
[1, [2, [3]]].size() == 2
[dyn(1), dyn([2, [3]])].flatten(1).size() == 3
[[1, [2]]].size() == 1
[[[1]], [[2]]].flatten(2) == [1, 2]
[[1]].flatten(-1) == []
self.l.slice(1, 3) == [1, 2]
self.l.slice(2, 1) == []
self.l.slice(0, 9) == []
self.l.slice(-1, 1) == []
self.l.sort() == [1, 2, 3]
['b', 'a'].sort() == ['a', 'b']
[dyn(1), dyn('a')].sort() == []
self.ml.sortBy(x, x.port)[0].name == 'http'
self.ml.sortBy(x, x.name).map(x, x.name) == ['http', 'https']
self.l.sortBy(x, -x) == [3, 2, 1]
{'a': 1}.sortBy(x, x) == []
self.l.reverse() == [2, 1, 3]
[1, 1, 2].distinct() == [1, 2]
self.ld.distinct() == [1.0, 2.5]
lists.range(3) == [0, 1, 2]
lists.range(self.l.size()).size() == self.l.size()
lists.range(-1) == []
self.l.first().value() == 3
self.l.last().orValue(9) == 2
[].first().hasValue()
self.l.isSorted()
[1, 2, 2].isSorted() && ['a', 'b'].isSorted()
[3, 2].isSorted()
self.l.sum() == 6
self.ld.sum() == 3.5
[].sum() == 0
[duration('1h'), duration('1m')].sum() == duration('61m')
['a'].sum() == 'a'
self.l.max() == 3 && self.l.min() == 1
self.ls.max() == 'ccc'
[].max() == 1
self.l.indexOf(1) == 1
self.l.indexOf(9) == -1
[1, 2, 1].lastIndexOf(1) == 2
self.ml.indexOf(self.ml[1]) == 1
self.set == ['y', 'x']
['x', 'y'] == self.set
self.set + ['z', 'x'] == ['x', 'y', 'z']
(self.set + ['z', 'x']).size() == 3
self.seti == [2, 1]
self.seti == [2, 1, 1]
self.set.all(x, x.size() == 1)
sets.contains(self.set, ['x'])
sets.contains([1, 2], [3])
sets.equivalent(self.l, [1, 2, 3])
sets.equivalent([1, 1.0], [1])
sets.intersects(self.ls, ['a', 'z'])
sets.intersects([], [])
self.ml.all(x, x.port > 0)
self.ml.exists(x, x.name == 'https' && x.port == 443)
self.ml.exists(x, has(x.tags) && 't' in x.tags)
self.ml[0].name == 'http'
self.ml == self.ml
self.ml + self.ml == self.ml
(self.ml + self.ml).size() == self.ml.size()
self.ml.map(x, x.name) == ['http', 'https']
self.ml.filter(x, x.port > 100).size() == 1
self.free == self.free
self.free.anything == 1
self.half.known == 1
self.half.raw == 1
self.half == self.half
self.res.metadata.name == 'inner'
self.res.kind == 'Thing' && self.res.apiVersion == 'v1'
self.res.spec.q == 1
has(self.res.metadata.generateName)
self.any == 7
self.any == '50%'
self.any > 3
self.any + 1 == 8
type(self.any) == int ? self.any == 7 : self.any.endsWith('%')
type(self.any) == string || self.any > 1
self.any.size() == 3
self.any.contains('5')
int(self.any) == 7
string(self.any) == '7'
self.any.matches('^[0-9]+%?$')
self.any.foo == 1
has(self.any.foo)
self.any[0] == 1
-self.any == -7
!self.any
self.any ? true : false
self.any && true
self.any in [7, 8]
'x' in self.any
self.any.startsWith(5)
self.any.lowerAscii() == 'x'
size(self.any) == 1
dyn(self.s) > 1
dyn(self.s) - 1 == 1
dyn(self.l) + 1 == []
dyn(self.m) + 1 == 1
dyn(self.dur) + 1 == 1
dyn(self.o) == 1
dyn(1) == self.o
dyn(self.l) == 1
dyn(self.set) == 1
dyn(self.ml) == [1]
type(self.a) == int && type(self.d) == double && type(self.s) == string
type(self.ts) == google.protobuf.Timestamp && type(self.dur) == google.protobuf.Duration
type(self.l) == list && type(self.m) == map && type(self.o) == map
type(self.by) == bytes && type(self.flag) == bool && type(1u) == uint && type(null) == null_type
type(type(1)) == type
type(self.o) == type(self.m)
type(optional.of(1)) == optional_type
int
type(int) == int
self.ts < timestamp('2025-01-01T00:00:00Z')
self.ts == timestamp('2024-02-29T12:34:56.789Z')
self.ts.getFullYear() == 2024 && self.ts.getMonth() == 1 && self.ts.getDate() == 29
self.ts.getDayOfMonth() == 28 && self.ts.getDayOfWeek() == 4 && self.ts.getDayOfYear() == 59
self.ts.getHours() == 12 && self.ts.getMinutes() == 34 && self.ts.getSeconds() == 56
self.ts.getMilliseconds() == 789
self.ts.getHours('America/New_York') == 7
self.ts.getHours('+05:30') == 18 && self.ts.getMinutes('-02:30') == 4
self.ts.getHours('Nowhere/Land') == 1
self.ts.getHours('a:b') == 1
self.ts + duration('1h') > self.ts
duration('1h') + self.ts == self.ts + duration('60m')
self.ts - self.ts == duration('0s')
self.ts - duration('1h') < self.ts
self.ts - timestamp('2024-02-28T12:34:56.789Z') == duration('24h')
timestamp('9999-12-31T23:59:59Z') + duration('1s') == self.ts
timestamp('0001-01-01T00:00:00Z') - duration('1s') == self.ts
timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z') == duration('1s')
timestamp('not a time') == self.ts
timestamp(self.s) == self.ts
timestamp(0) == timestamp('1970-01-01T00:00:00Z')
timestamp(999999999999999) == self.ts
int(self.ts) == 1709210096
self.day == timestamp('2023-01-02T00:00:00Z')
self.lt.all(x, x < self.ts)
self.lt == self.lt
self.lt + [self.ts] == self.lt
(self.lt + [self.ts])[2] == self.ts
self.dur == duration('90m')
self.dur > duration('1h') && self.dur.getHours() == 1 && self.dur.getMinutes() == 90
self.dur.getSeconds() == 5400 && self.dur.getMilliseconds() == 5400000
self.dur + duration('30m') == duration('2h')
self.dur - duration('2h') == duration('-30m')
duration('x') == self.dur
duration(self.s) == self.dur
duration(5) == self.dur
duration('9223372036s') + duration('1s') == self.dur
duration('1.5h') == duration('90m') && duration('-1h') < duration('0')
duration('1us') == duration('1µs')
int(self.dur) == 5400000000000
self.by == b'hello'
self.by == bytes('hello')
string(self.by) == 'hello'
size(self.by) == 5 && self.by.size() == 5
self.by + b'!' == b'hello!'
b'\xff' > b'\x01' && b'a' < b'ab'
string(b'\xff') == ''
b'\u00e9' == b'x'
b'\303\251' == bytes('é')
self.e == 'red'
self.e in ['red', 'green']
self.e == 'blue'
int('42') == 42 && int('-7') == -7 && int('+7') == 7
int('x') == 1
int('9223372036854775808') == 1
int(2.9) == 2 && int(-2.9) == -2
int(1e19) == 1
int(5u) == 5
int(18446744073709551615u) == 1
uint('5') == 5u
uint('-5') == 5u
uint(-1) == 1u
uint(3.7) == 3u
uint(-0.5) == 0u
double('1.5') == 1.5 && double(3) == 3.0 && double(2u) == 2.0
double('x') == 1.0
double('1e400') == 1.0
double('-inf') < 0.0
double('0x1p-2') == 0.25
bool('true') && bool('t') && bool('1') && !bool('F')
bool('yes')
string(self.flag) == 'true'
string(self.a) == '5'
string(null) == 'null'
string(1u) == '1'
self.s.charAt(1) == 'e' && self.s.charAt(5) == ''
self.s.charAt(6) == ''
self.s.charAt(-1) == ''
self.t.charAt(12) == '😀'
self.s.indexOf('l') == 2 && self.s.indexOf('l', 3) == 3 && self.s.indexOf('') == 0 && self.s.indexOf('z') == -1
self.s.indexOf('l', -1) == 1
self.s.indexOf('l', 99) == -1
self.s.lastIndexOf('l') == 3 && self.s.lastIndexOf('l', 2) == 2 && self.s.lastIndexOf('') == 5
self.s.lastIndexOf('hello world') == -1
self.s.lastIndexOf('l', -1) == 1
self.t.indexOf('w') == 6 && self.t.lastIndexOf('😀') == 12
self.s.lowerAscii() == 'hello' && 'ÄB'.lowerAscii() == 'Äb' && 'äb'.upperAscii() == 'äB'
self.s.replace('l', 'L') == 'heLLo' && self.s.replace('l', 'L', 1) == 'heLlo'
self.s.replace('', '-') == '-h-e-l-l-o-'
self.s.replace('', '-', 2) == '-h-ello'
self.s.replace('l', '', -1) == 'heo'
self.s.replace('l', '$&') == 'he$&$&o'
'a,b,c'.split(',') == ['a', 'b', 'c']
'a,b,c'.split(',', 2) == ['a', 'b,c']
'a,b,c'.split(',', 0) == []
'a,b,c'.split(',', -1).size() == 3
'abc'.split('') == ['a', 'b', 'c']
'abc'.split('', 2) == ['a', 'bc']
''.split('') == [] && ''.split(',') == ['']
self.s.substring(1) == 'ello' && self.s.substring(1, 3) == 'el' && self.s.substring(5) == ''
self.s.substring(6) == ''
self.s.substring(3, 1) == ''
self.s.substring(-1, 1) == ''
'  x \t\n'.trim() == 'x'
['a', 'b'].join() == 'ab' && self.ls.join('-') == 'a-bb-ccc' && [].join(',') == ''
[dyn('a'), dyn(1)].join(',') == ''
[1].join(',') == '1'
strings.quote('a"b\n') == '"a\\"b\\n"'
'%s is %d'.format([self.s, self.a]) == 'hello is 5'
'%d'.format(['x']) == ''
'%s'.format([]) == ''
'%s'.format([1, 2]) == ''
'%'.format([1]) == ''
'%z'.format([1]) == ''
'%.2f'.format([self.d]) == '2.50'
self.s.format([self.a]) == 'hello'
self.s.find('l+') == 'll' && self.s.find('z') == ''
self.s.findAll('l') == ['l', 'l'] && self.s.findAll('l', 1) == ['l'] && self.s.findAll('[') == []
self.s.findAll('l', 0) == []
self.s.findAll('l', -1).size() == 2
self.s.find(self.s + '(') == ''
'a1b22'.findAll('[0-9]*').size() == 4
url('https://user:pw@example.com:8080/a%20b?x=1&x=2&y=#frag').getHost() == 'example.com:8080'
url('https://example.com:8080/a').getHostname() == 'example.com' && url('https://[::1]:80/').getHostname() == '::1'
url('https://example.com:8080/a').getPort() == '8080' && url('https://example.com').getPort() == ''
url('https://example.com/a b').getEscapedPath() == '/a%20b'
url('https://example.com/a%2Fb').getEscapedPath() == '/a%2Fb'
url('https://example.com?x=1&x=2&y').getQuery() == {'x': ['1', '2'], 'y': ['']}
url('https://example.com/?a+b=c%20d&%zz=1').getQuery().size() == 1
url('/path/only').getScheme() == ''
url('HTTP://Example.com').getScheme() == 'http'
url('mailto:me@example.com').getHost() == ''
url('not a url').getHost() == ''
url('') == url('')
url('http://a b/') == url('http://x/')
url('http://[::1') == url('http://x/')
url('http://x:abc/') == url('http://x/')
url('://x') == url('http://x/')
url('http://x/%zz') == url('http://x/')
url('http://x/a') == url('http://x/a') && url('http://x/a') != url('http://x/b')
url(self.s) == url(self.s)
isURL('https://example.com') && !isURL('example.com') && isURL('/abs')
quantity('1.5Gi').isGreaterThan(quantity('1Gi'))
quantity('1').isLessThan(quantity('1000m'))
quantity('1000m').compareTo(quantity('1')) == 0
quantity('1k') == quantity('1000') && quantity('1') != quantity('2')
quantity('50k').asInteger() == 50000
quantity('9999999999999999999999').asInteger() == 1
quantity('1.5').asInteger() == 1
quantity('1.5').isInteger() || quantity('2').isInteger()
quantity('50.703k').asApproximateFloat() == 50703.0
quantity('1Ki').asApproximateFloat() == 1024.0
quantity('-3').sign() == -1
sign(quantity('-3')) == -1 && sign(quantity('0')) == 0 && sign(quantity('1m')) == 1
quantity('1').add(quantity('2')) == quantity('3') && quantity('1').add(2) == quantity('3')
quantity('5').sub(quantity('2')) == quantity('3') && quantity('5').sub(2) == quantity('3')
quantity('1Ki').add(quantity('1m')).isInteger()
quantity('x') == quantity('1')
quantity('') == quantity('1')
quantity('1Zi') == quantity('1')
quantity(self.s) == quantity('1')
isQuantity('1Gi') && !isQuantity('1 Gi') && !isQuantity('')
isQuantity(self.s)
quantity('1') == 1
ip('10.0.0.1').family() == 4 && ip('::1').family() == 6
ip('10.0.0.256').family() == 4
ip('fe80::1%eth0').family() == 6
ip('::ffff:1.2.3.4').family() == 6
ip('x').family() == 4
ip(self.s).family() == 4
ip('127.0.0.1').isLoopback() && ip('::').isUnspecified() && ip('224.0.0.1').isLinkLocalMulticast()
ip('169.254.1.1').isLinkLocalUnicast() && ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()
ip('fe80::1').isLinkLocalUnicast() && ip('ff02::1').isLinkLocalMulticast() && !ip('ff00::1').isGlobalUnicast()
ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')
ip.isCanonical('x')
isIP('1.2.3.4') && !isIP('01.2.3.4') && isIP('2001:db8::68') && !isIP('1.2.3')
string(ip('2001:db8:0:0::1')) == '2001:db8::1'
ip('1.2.3.4') == ip('1.2.3.4') && ip('1.2.3.4') != ip('1.2.3.5')
type(ip('1.2.3.4')) == net.IP && type(cidr('1.2.3.0/24')) == net.CIDR
cidr('192.168.0.0/16').containsIP('192.168.1.1') && cidr('192.168.0.0/16').containsIP(ip('192.168.1.1'))
cidr('192.168.0.0/16').containsIP('10.0.0.1') || cidr('192.168.0.0/16').containsIP('::1')
cidr('192.168.0.0/16').containsIP('x')
cidr('192.168.0.0/16').containsCIDR('192.168.1.0/24') && !cidr('192.168.0.0/24').containsCIDR('192.168.0.0/16')
cidr('192.168.0.0/16').containsCIDR(cidr('192.168.1.0/24'))
cidr('192.168.0.0/16').containsCIDR('x')
cidr('192.168.1.7/24').masked() == cidr('192.168.1.0/24')
cidr('192.168.1.7/24').ip() == ip('192.168.1.7') && cidr('::1/128').prefixLength() == 128
cidr('192.168.0.0/33').prefixLength() == 1
cidr('192.168.0.0').prefixLength() == 1
cidr('::ffff:1.2.3.0/120').prefixLength() == 1
isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0/08') && !isCIDR('x/8')
string(cidr('2001:db8::/32')) == '2001:db8::/32'
semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))
semver('1.0.0-alpha.1').compareTo(semver('1.0.0-alpha.beta')) == -1
semver('1.2.3+b1') == semver('1.2.3+b2')
semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3
semver('v1.2.3').major() == 1
semver('v1.2', true).minor() == 2 && semver('01.02.03', true) == semver('1.2.3')
semver('1.2-rc', true).major() == 1
semver('1.2').major() == 1
semver('1.2.x').major() == 1
semver('01.2.3').major() == 1
semver('1.2.3-').major() == 1
semver('1.2.3-01').major() == 1
semver('1.2.3+').major() == 1
semver('').major() == 1
isSemver('1.2.3') && !isSemver('v1.2.3') && isSemver('v1.2', true) && !isSemver('a.b.c')
!format.dns1123Label().validate('my-name').hasValue()
format.dns1123Label().validate('My.Name').hasValue()
format.dns1123Subdomain().validate('a.b-c').hasValue() || format.dns1035Label().validate('1a').hasValue()
format.qualifiedName().validate('example.com/name').hasValue() || format.labelValue().validate('a b').hasValue()
format.dns1123LabelPrefix().validate('abc-').hasValue() || format.dns1123SubdomainPrefix().validate('abc-').hasValue() || format.dns1035LabelPrefix().validate('abc-').hasValue()
format.uri().validate('http://x').hasValue() || format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()
format.byte().validate('aGVsbG8=').hasValue() || format.date().validate('2021-02-30').hasValue()
format.datetime().validate('2021-01-01T00:00:00Z').hasValue()
format.named('dns1123Label').value().validate(self.s).hasValue()
format.named('nope').hasValue()
format.named('nope').value().validate(self.s).hasValue()
format.named('uri') == optional.of(format.uri())
format.dns1123Label() == format.dns1123Subdomain()
self.?a.hasValue()
self.?zzz.hasValue()
self.?a.orValue(1) == 5
self.?o.?inner.?z.orValue(0) == 26
self.?o.inner.z.orValue(0) == 26
self.o.?inner.z.hasValue()
self.?m['one'].orValue(2) == 1
self.m[?'one'].orValue(2) == 1
self.m[?'two'].orValue(2) == 2
self.l[?0].orValue(9) == 3
self.l[?9].orValue(9) == 9
self.l[?'x'].orValue(9) == 9
self.?l[0].orValue(9) == 3
self.?l[?9].orValue(9) == 9
self.?ml[0].name.orValue('') == 'http'
optional.of(1).value() == 1
optional.none().value() == 1
optional.none().orValue(1) == 1
optional.of(1).or(optional.of(2)).value() == 1
optional.none().or(optional.of(2)).value() == 2
optional.of(1).or(1/0 == 1 ? optional.of(2) : optional.of(3)).value() == 1
optional.of(1) == optional.of(1) && optional.of(1) != optional.none()
optional.ofNonZeroValue(0).hasValue() || optional.ofNonZeroValue('').hasValue() || optional.ofNonZeroValue([]).hasValue()
optional.ofNonZeroValue(self.l).hasValue()
optional.ofNonZeroValue(self.a).hasValue()
optional.of(self.o).x == optional.of('ox')
optional.of(self.o).?x.orValue('') == 'ox'
optional.of(self.l)[0].orValue(0) == 3
self.?o.optMap(o, o.x + '!').orValue('') == 'ox!'
self.?zzz.optMap(o, o).hasValue()
self.?o.optMap(o, o.?y.orValue(3)).orValue(0) == 1
self.?o.optFlatMap(o, o.?inner).optMap(i, i.z).orValue(0) == 26
self.?l.optMap(l, l.size()).orValue(0) == 3
self.?l.optMap(1, 2).hasValue()
optional.of([]).optMap(l, l + [1]).value() == [1]
[?self.?a, ?self.?zzz].size() == 1
[1, ?optional.none()] == [1]
[?1] == [1]
{?'a': self.?a, ?'b': optional.none()} == {'a': 5}
{?'a': 1} == {'a': 1}
optional.unwrap([optional.of(1), optional.none()]) == [1]
[optional.of(1), optional.none()].unwrapOpt() == [1]
{'a': 1}.a == 1 && {'a': {'b': 2}}.a.b == 2
{'a': 1}.b == 1
has({'a': 1}.a) && !has({'a': 1}.b)
{'a': 1, 'b': 'x'}.size() == 2
{1: 'a', 2: 'b'}[1] == 'a'
{1: 'a'}[dyn(1.0)] == 'a' && {1: 'a'}[dyn(1u)] == 'a' && {1u: 'a'}[dyn(1)] == 'a'
{true: 1}[true] == 1
{'a': 1} == {'a': 1} && {'a': 1} != {'a': 2}
{} == {}
[] == []
[1, 2] == [1.0]
[[]] == [[1]]
[1, 'a'].size() == 2
{'a': self.a, 'b': self.b}['a'] == 5
"double" + 'single' + """triple
line""" + '''x''' == ''
r'\n' == '\\n' && R"\d" == '\\d'
'\x41\u0042\U00000043\104' == 'ABCD'
'\ud800' == ''
'\q' == ''
"a\"b" == 'a"b' && '\a\b\f\n\r\t\v\?' != ''
'a
self.a = 5
self.a == 5 // a comment
self.a ==
(self.a == 5
self.l[0
self..a
.self.a == 5
self.a == 5;
self.a === 5
#
if self.a
self.in == 1
in == 1
package == 1
true.x
self.true == 1
foo(1) == 2
self.foo() == 1
self.s.foo(1) == 1
self.a.size() == 1
math.abs(1) == 1
math.greatest(1, 2) == 2
base64.encode(b'a') == ''
cel.bind(x, 1, x == 1)
'abc'.reverse() == 'cba'
authorizer.group('').resource('pods').check('get').allowed()
dyn(self.s).check('get').allowed()
now() == self.ts
request.x == 1
variables.x == 1
object.x == 1
self.l.map(x, x).map(x, x).map(x, x).size() == 3
self.a == 5 == true
1 < 2 < 3
1 + 2 * 3 - 4 / 2 == 5
(1 + 2) * 3 == 9
!self.flag == false
!(self.a == 5) || self.flag
-self.l[0] == -3
- 5 == -5 && 3 -5 == -2 && 3-5 == -2
self.a == 5 ? self.b == -3 ? true : false : false
self.a == 5 ? true : self.b == -3 ? true : false
[1, 2, 3,] == [1, 2, 3]
{'a': 1,} == {'a': 1}
[,] == []
f(1,) == 1
self.l.exists(self, self == 3)
self.l.all(a, self.l.all(b, a == b || a != b))
self.l.map(x, [x]) == [[3], [1], [2]]
self.l.map(x, {'k': x})[0].k == 3
self.l.map(x, optional.of(x))[0].value() == 3
self.l.filter(x, self.m[string(x)] == 1).size() == 0
self.l.map(x, self.m['nope']).size() == 0
self.ms.all(k, self.ms[k].matches('^[a-z]+$'))
self.ms.k.size() == 1 && self.ms['k'] + 'x' == 'vx'
oldSelf.a <= self.a
oldSelf.l == self.l
self.set == oldSelf.set
self.ml == oldSelf.ml
self.free == oldSelf.free
self.half == oldSelf.half
self == oldSelf
self.l.all(x, x in oldSelf.l)
has(oldSelf.n) == has(self.n)
`)

/** Expressions whose result is shown; the API server rejects those that are no texts. */
export const texts: readonly string[] = lines(String.raw`
'plain'
''
'  trimmed  '
'two\nlines'
self.s
self.zzz
self.a
string(self.a)
string(self.d)
string(1e21) + ' ' + string(1e6) + ' ' + string(100000.0) + ' ' + string(0.0001) + ' ' + string(0.00001) + ' ' + string(-0.0)
string(123456789.0) + ' ' + string(1.0/3.0) + ' ' + string(5e-324) + ' ' + string(1.7976931348623157e308)
string(double('inf')) + string(double('NaN'))
string(self.ts) + ' ' + string(self.day)
string(self.dur) + ' ' + string(duration('1ms')) + ' ' + string(duration('-1.5s')) + ' ' + string(duration('1ns'))
string(timestamp('2020-01-01T00:00:00.120+02:00'))
string(timestamp('2020-01-01T00:00:00+02:00') + duration('1ns'))
string(self.by)
string(self.flag) + string(1u)
string(type(self.a)) + string(type(self.o))
string(1/0)
self.m['zzz'] == 1 ? 'a' : 'b'
'a' + self.t
'x'.format([])
'%s|%s|%s|%s'.format([self.s, self.a, self.d, self.flag])
'%s|%s|%s'.format([self.ts, self.dur, self.by])
'%s %s %s'.format([null, type(1), 1u])
'%s'.format([self.l])
'%s'.format([['a', 'b"c']])
'%s'.format([[1.5, 2.0]])
'%s'.format([[true, false]])
'%s'.format([[self.ts]])
'%s'.format([[self.dur]])
'%s'.format([[b'a']])
'%s'.format([{'b': 1, 'a': 2}])
'%s'.format([{1: 'x'}])
'%s'.format([self.o])
'%s'.format([self.m])
'%d %d'.format([self.a, 7u])
'%f %.0f %.3f'.format([self.d, 2.5, -1.0005])
'%f'.format([1234567.891])
'%e %.2e'.format([1234.5678, 0.000123])
'%b %b %b'.format([5, true, 7u])
'%b %o %x %X'.format([-5, -8, -255, -255])
'%x %X %x'.format([255, 255u, 'hi'])
'%X'.format([b'\xab\xcd'])
'%o'.format([64])
'%%'.format([])
'100%% %s'.format(['x'])
'%s'.format([ip('1.2.3.4')])
'%s'.format([dyn(quantity('1'))])
'%d'.format([dyn('x')])
'%f'.format([dyn(1)])
'%f'.format(['NaN']) + '%f'.format(['Infinity']) + '%e'.format(['-Infinity'])
'%.'.format([1.0])
'%.f'.format([1.0])
self.ls.join(', ')
self.l.map(x, string(x)).join('-')
self.t.substring(6).upperAscii()
strings.quote(self.t)
string(self.l.size()) + '/' + string(self.m.size())
url('https://user:p%40ss@Example.com:8080/a%20b/../c?x=1#f').getEscapedPath()
url('http://x/ä?q').getEscapedPath()
string(cidr('10.1.2.3/8').masked()) + ' ' + string(ip('::'))
string(quantity('1.5k').asApproximateFloat())
string(quantity('100m').asApproximateFloat()) + ' ' + string(quantity('1.1').add(quantity('2.2')).asApproximateFloat())
format.dns1123Label().validate('A').value().join('\t')
format.dns1123Label().validate('a.b').value().join('\t')
format.dns1123Subdomain().validate('A_').value().join('\t')
format.dns1035Label().validate('1').value().join('\t')
format.qualifiedName().validate('a/b/c').value().join('\t')
format.qualifiedName().validate('/b').value().join('\t')
format.qualifiedName().validate('A_/').value().join('\t')
format.labelValue().validate('-').value().join('\t')
format.uri().validate('x').value().join('\t')
format.uuid().validate('x').value().join('\t')
format.byte().validate('x').value().join('\t')
format.date().validate('x').value().join('\t')
format.datetime().validate('x').value().join('\t')
self.?n.orValue('none')
oldSelf.s + '->' + self.s
`)

function lines(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .reduce<string[]>((found, line) => {
      // The only expression with a line break.
      const last = found.at(-1)
      if (last?.split('"""').length === 2) found[found.length - 1] = `${last}\n${line}`
      else found.push(line)
      return found
    }, [])
}
