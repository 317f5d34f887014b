/**
 * Snippets, one a line, that a real server and the simulated one must answer alike, errors and their positions
 * included. They see `KEYS = { 'k' }` and `ARGV = { 'a', '2', '' }`, and a string `s`, a list `l` and a hash `h`.
 */
export const LUA_CORPUS: readonly string[] = `
return 1
return
return nil
return true
return false
return 'text'
return 3.99
return -3.99
return 1/0
return -1/0
return 0/0
return 1e15
return 2^53
return 2^62
return 0x10
return {}
return {1, 2, nil, 4}
return {1, {2, {3, {}}}, 'x', true, false, 2.5}
return {ok = 'fine'}
return {err = 'MY thing'}
return {err = 'My'}
return {ok = 'one', err = 'TWO words'}
return {1, {err = 'INNER error'}, {ok = 'inner'}}
return {a = 1, b = 2}
return function() end
return {function() end, 2}
return KEYS[1], ARGV[1]
return {KEYS[1], ARGV[1], ARGV[2], ARGV[3], #KEYS, #ARGV}
return redis.status_reply('GOOD')
return redis.error_reply('MY thing')
return redis.error_reply('My')
return redis.error_reply('-CODE said so')
return redis.error_reply('two\\nlines here')
return redis.error_reply()
return redis.error_reply(1)
return redis.status_reply()
return redis.status_reply(1)
return redis.sha1hex('')
return redis.sha1hex('abc')
return redis.sha1hex(1)
return redis.sha1hex()
return redis.sha1hex('a', 'b')
return redis.call('GET', 's')
return redis.call('GET', 'none')
return redis.call('GET', 'none') == false
return type(redis.call('GET', 'none'))
return redis.call('SET', 'x', 1)
return redis.call('SET', 'x', 1).ok
return type(redis.call('SET', 'x', 1))
return redis.call('GET', 'l')
return redis.pcall('GET', 'l')
return redis.pcall('GET', 'l').err
return {pcall(redis.call, 'GET', 'l')}
return {pcall(redis.call, 'NOPE')}
return {pcall(redis.pcall, 'GET', 'l')}
return type(redis.pcall('NOPE'))
return redis.call('NOPE')
return redis.call('GET')
return redis.call('GET', 'a', 'b')
return redis.call()
return redis.pcall()
return redis.call({})
return redis.call('GET', nil)
return redis.call('SET', 'x', true)
return redis.call('EVAL', 'return 1', '0')
return redis.call('SUBSCRIBE', 'x')
return redis.call('HELLO')
return redis.call('CLIENT', 'ID')
return redis.call('SCRIPT', 'FLUSH')
return redis.call('get', 's')
return redis.call('SET', 'n', 0.1) and redis.call('GET', 'n')
return redis.call('SET', 'n', 1e20) and redis.call('GET', 'n')
return redis.call('SET', 'n', 2^53) and redis.call('GET', 'n')
return redis.call('SET', 'n', 1/3) and redis.call('GET', 'n')
return redis.call('SET', 'n', -0) and redis.call('GET', 'n')
return redis.call('SET', 'n', 1/0) and redis.call('GET', 'n')
return redis.call('SET', 'x', 'v', 'NX', 'XX')
return redis.call('SET', 'x', 'v', 'PX', 0)
return redis.call('SET', 's', 'v', 'NX')
return redis.call('SET', 's', 'v', 'NX') == false
return redis.call('MGET', 's', 'none', 'l')
return #redis.call('MGET', 's', 'none', 'l')
return redis.call('HGETALL', 'h')
return redis.call('LRANGE', 'l', 0, -1)
return redis.call('TYPE', 'l')
return redis.call('TYPE', 'l').ok
return redis.call('EXISTS', 's') == 1
return redis.call('INCR', 'n') + redis.call('INCR', 'n')
return redis.call('PTTL', 's')
return redis.call('PUBLISH', 'channel', 'x')
return redis.call('PING')
return redis.call('ECHO', 'x')
local t = redis.call('TIME') return {#t, type(t[1]), type(t[2])}
return redis.log(redis.LOG_WARNING, 'x')
return redis.log(1)
return redis.replicate_commands()
return redis.setresp(2)
return {redis.LOG_DEBUG, redis.LOG_VERBOSE, redis.LOG_NOTICE, redis.LOG_WARNING}
return redis.REDIS_VERSION_NUM > 0x060200
return redis.nothing
redis.nothing()
redis.x = 1
string.x = 1
foo = 1
function foo() end
return foo
foo()
local x = nosuch.field return x
KEYS = {} return 1
KEYS[1] = 'other' return KEYS[1]
local KEYS = {'mine'} return KEYS[1]
return type(redis) .. type(string)
return type(type)
return type()
return _VERSION
return tostring(nil) .. tostring(true) .. tostring(12) .. tostring('x')
return {tostring(1/0), tostring(-1/0), tostring(0/0), tostring(1e15), tostring(1e14), tostring(123456789012345678), tostring(0.1)}
return {tostring(1e100), tostring(1e-5), tostring(0.0001), tostring(1/3), tostring(100), tostring(2^53), tostring(1e21)}
return tostring()
return tostring(cjson.null)
return {tonumber('10'), tonumber(' 10 '), tonumber('0x1f'), tonumber('1e2'), tonumber('.5') * 2, tonumber('5.'), tonumber('1.790000000000001e15')}
return {tonumber('x') == nil, tonumber('') == nil, tonumber('1x') == nil, tonumber(nil) == nil, tonumber({}) == nil, tonumber('1 2') == nil, tonumber('0x') == nil, tonumber('--1') == nil}
return {tonumber('ff', 16), tonumber('777', 8), tonumber('11', 2), tonumber('zz', 36), tonumber('9', 8) == nil, tonumber('-ff', 16), tonumber('0xff', 16)}
return tonumber('10', 99)
return tonumber()
return {tostring(tonumber('inf')), tostring(tonumber('-inf')), tonumber('nan') ~= tonumber('nan')}
return 10 / 4 * 4
return 7 % 3 + -7 % 3 * 10 + 7 % -3 * 100
return 5.5 % 2 == 1.5
return 2 ^ 10 + 2 ^ 0.5
return '10' + 5
return '0x10' + 0
return ' 7 ' * '2'
return -'3'
return 10 .. 20
return 1 .. ''
return 0.1 .. ''
return 'a' + 1
return {} + 1
return nil + 1
return 1 + nil
return -{}
return #5
return #nil
return #'zürich'
return #{1, 2, 3, nil}
return #{1, nil, 3}
return #{nil, nil, 3}
return #{n = 1}
local t = {1, 2, 3} t[#t] = nil return #t
local t = {} t[1] = 1 t[2] = 2 t[4] = 4 t[3] = 3 return #t
local t = {} t[1.5] = 'a' t['1'] = 'b' t[1] = 'c' return {t[1.5], t['1'], t[1]}
local t = {[1] = 'a', [2] = 'b', [3] = 'c'} return #t
local t = {} t[nil] = 1
local t = {} t[0/0] = 1
local t = {} return t[nil] == nil
local t = {[nil] = 1}
return 1 == '1'
return 'a' == 'a' and {} ~= {}
return nil == false
return 'a' < 'b' and 'a' < 'aa' and not ('b' < 'a') and 'Z' < 'a'
return 'z' < 'ü'
return '10' < '9'
return 1 < 2 and 2 <= 2 and 3 > 2 and 3 >= 3
return 1 < '2'
return 'a' > 1
return {} < {}
return nil <= nil
return true < false
return {} <= 1
return 0/0 == 0/0
return 1 and 2
return nil and 2
return false or 'x'
return nil or false
return not nil
return not 0
return (nil or 1) + (false or 2)
local a = 1 and nil or 'third' return a
return 'a' .. {}
return 'a' .. nil
local x return x .. 'a'
local x return x + 1
local x return x.y
local x = {} return x.y.z
local x = {} return x['y']['z']
local x = {} return x[1][2]
local x = {} x.y.z = 1
local x return #x
local x x()
local x = {} x.f()
local x = {} x:f()
local x = {} x[1]()
local x = {} x.y.f()
local x = 5 x()
local x = 'str' return x.y
local x = 'str' return x:upper()
return ('x'):rep(3)
return ('%d'):format(7)
local x = 5 return x.y
local x local function f() return x.y end return f()
local x local function f() return x() end return f()
(1)()
local function f(...) return select('#', ...) end return {f(), f(nil), f(nil, nil), f(1, 2, 3)}
local function f(...) local a, b = ... return {a, b} end return f(1, 2, 3)
local function f(...) return ... end return {f(1, 2, 3)}
local function f(...) return ... end return {f(1, 2, 3), f(1, 2, 3)}
local function f(...) return ... end return {(f(1, 2, 3))}
local function f(...) return (...) end return {f(1, 2, 3)}
local function f(...) return {...} end return f(1, nil, 3)
local function f() return 1, 2, 3 end local a, b, c, d = f() return {a, b, c, d == nil}
local function f() return 1, 2, 3 end local a, b = (f()) return {a, b == nil}
local function f() end return {f()}
local function f() end return {f(), 1}
local function f() end return tostring(f())
local function f() return end return select('#', f())
local function f(a, b) return b end return f(1) == nil
local function f() return 1, 2 end return {f(), x = f(), f()}
local function g() return 'a', 'b' end return {[1] = 'x', g()}
local t = {f = function(self, n) return self.n + n end, n = 5} return t:f(3)
local t = {} function t.f(a) return a end function t:g(a) return a end return {t.f(1), t:g(2)}
local t = {a = {b = {}}} function t.a.b.f() return 'deep' end return t.a.b.f()
local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end return fact(10)
local f = function(n) return n end return f'text'
local f = function(t) return t[1] end return f{'first'}
return select(2, 'a', 'b', 'c')
return {select(-2, 'a', 'b', 'c')}
return {select(5, 'a')}
return select(0, 'a')
return select('x')
return select()
local a, b = 1, 2 a, b = b, a return {a, b}
local a, b, c = 1 return {a, b == nil, c == nil}
local a, b = 1, 2, 3 return {a, b}
local t = {1, 2} local i = 1 i, t[i] = i + 1, 20 return {i, t[1], t[2]}
local x = 1 do local x = 2 end return x
local x = 1 local x = x + 1 return x
local x = 1 local function f() x = x + 1 return x end f() return {f(), x}
local fs = {} for i = 1, 3 do fs[i] = function() return i end end return {fs[1](), fs[2](), fs[3]()}
local n = 0 for i = 1, 10 do n = n + i end return n
local n = 0 for i = 10, 1, -3 do n = n * 10 + i end return n
local n = 0 for i = 1, 0 do n = n + 1 end return n
local n = 0 for i = 1, 2, 0.5 do n = n + i end return n
local n = 0 for i = '1', '3' do n = n + i end return n
for i = 1, 10, 0 do return 'never' end return 'done'
for i = 'x', 2 do end
for i = 1, {} do end
for i = 1, 2, 'x' do end
for i = 1, 10 do if i == 3 then return i end end
local n = 0 for i = 1, 10 do if i > 5 then break end n = n + i end return n
local n = 0 while true do n = n + 1 if n == 7 then break end end return n
local n = 0 while n < 5 do n = n + 1 end return n
local n = 0 repeat local done = n >= 4 n = n + 1 until done return n
local n = 0 for _, v in ipairs({1, 2, nil, 4}) do n = n + v end return n
local n = 0 for k, v in pairs({10, 20, x = 30}) do n = n + v end return n
local t = {} for k, v in pairs({'a', 'b', 'c'}) do t[#t + 1] = k .. v end return t
local t = {a = 1, b = 2, c = 3} for k in pairs(t) do t[k] = nil end return next(t) == nil
local n = 0 for k, v in next, {1, 2, 3} do n = n + v end return n
local function it(s, c) if c < s then return c + 1 end end local n = 0 for i in it, 4, 0 do n = n + i end return n
for x in 5 do end
for x in nil do end
for k, v in pairs(nil) do end
for k, v in ipairs() do end
for k, v in pairs('x') do end
return next({})
return {next({5})}
return next({}, 'nokey')
return next()
if 0 then return 'zero is true' end
if '' then return 'so is the empty string' end
if nil then return 1 elseif false then return 2 else return 3 end
return #ARGV[3] == 0 and 'empty'
return rawget({5}, 1) + (rawget({}, 1) or 1)
local t = {} rawset(t, 'a', 1) return t.a
return rawequal('a', 'a')
return {unpack({1, 2, 3})}
return {unpack({1, 2, 3}, 2)}
return {unpack({1, 2, 3}, 2, 5)}
return {unpack({})}
return unpack()
return {unpack({1, nil, 3}, 1, 3)}
return redis.call('MSET', unpack({'x', '1', 'y', '2'}))
error('boom')
error('boom', 0)
error()
error(nil)
error(5)
error({err = 'MY thing'})
error(redis.error_reply('MY thing'))
return {pcall(error, 'x')}
return {pcall(error, 'x', 0)}
return {pcall(string.rep)}
return {pcall(string.rep, {}, 1)}
return {pcall(cjson.encode, function() end)}
return {pcall(tonumber)}
return tostring(-0)
return {pcall(error, 'x', 1), pcall(type)}
return {pcall(pcall, error, 'x')}
return {pcall(error)}
return {pcall(error, {err = 'E x'})}
return {pcall(function() error('inside') end)}
return {pcall(function() error({err = 'IN side'}) end)}
return {pcall(function() local x x() end)}
return {pcall(function() return 1, 2, 3 end)}
return {pcall(function(...) return ... end, 'a', 'b')}
return {pcall(5)}
return {pcall(nil)}
local ok, e = pcall(function() redis.call('GET', 'l') end) return {tostring(ok), type(e), e}
local ok, e = pcall(function() error({code = 7}) end) return {type(e), e.code}
return {xpcall(function() error('x', 0) end, function(e) return e .. '!' end)}
return {xpcall(function() return 1 end, function(e) return e end)}
assert(false)
assert(nil, 'message')
assert(false, 5)
assert(1 == 1, 'message') return 'passed'
return {assert(1, 2, 3)}
assert()
assert(nil, {})
local function f() return f() + 1 end return f()
return string.len('abc') + #'de'
return {string.sub('hello', 2), string.sub('hello', 2, 3), string.sub('hello', -3), string.sub('hello', -3, -2), string.sub('hello', 0), string.sub('hello', 10), string.sub('hello', 4, 2), string.sub('hello', -100, 100)}
return string.sub('hello')
return string.sub()
return string.sub({}, 1)
return string.sub('x', 'y')
return string.sub(12345, 2, 3)
return {string.upper('aBc1ü'), string.lower('AbC1Ü')}
return string.rep('ab', 3) .. string.rep('x', 0) .. string.rep('x', -1)
return string.rep()
return string.reverse('abc')
return {string.byte('A'), string.byte('abc', 2), string.byte('abc', -1), string.byte('', 1) == nil}
return {string.byte('abc', 1, 3)}
return {string.byte('abc', 10)}
return string.char(72, 105)
return string.char()
return string.char(256)
return string.char(-1)
return string.char('x')
return {string.find('hello world', 'o w')}
return {string.find('hello', 'l')}
return {string.find('hello', 'l', 4)}
return {string.find('hello', 'l', -2)}
return {string.find('hello', 'xyz')}
return {string.find('hello', '')}
return {string.find('hello', '', 10)}
return {string.find('a.b', '.', 1, true)}
return {string.find('a.b', '%.')}
return {string.find('key=value', '(%w+)=(%w+)')}
return {string.find('abc', 'b()')}
return string.match('c:12:host:1', '^([^:]+):(%d+)')
return {string.match('c:12:host:1', '^([^:]+):(%d+)')}
return {string.match('no owner', '^([^:]+):(%d+)')}
return string.match('hello', 'l+')
return string.match('hello', '.-l')
return string.match('hello', 'h?e*l+')
return string.match('  trim  ', '^%s*(.-)%s*$')
return string.match('2026-11-21', '(%d+)-(%d+)-(%d+)')
return string.match('f(a(b)c)d', '%b()')
return string.match('THE (quick) fox', '%f[%a]%a+', 5)
return string.match('abcabc', '(abc)%1')
return string.match('hello', '()ll()')
return string.match('a]b', '[]]')
return string.match('a-b', '[a%-]+')
return string.match('abc', '[^a]+')
return string.match('x=1', '%p')
return string.match('\\0', '%z') == '\\0'
return string.match('end$', '%$$')
return string.match('abc', '^b') == nil
return string.match('abc', '[a-')
return string.match('abc', '%')
return string.match('abc', '(a')
return string.match('abc', 'a)')
return string.match('abc', '%1')
return string.match('x', '[%a')
return string.match('hello', 'l', 100) == nil
return {string.gsub('hello', 'l', 'L')}
return {string.gsub('hello', 'l', 'L', 1)}
return {string.gsub('hello', '', '-')}
return {string.gsub('hello world', '(%w+)', '<%1>')}
return {string.gsub('hello', '.', {h = 'H', l = false})}
return {string.gsub('hello', '.', function(c) if c == 'l' then return 'L' end end)}
return {string.gsub('abc', '%w', '%0%0')}
return {string.gsub('abc', '%w', '%%')}
return {string.gsub('abc', 'b', '%2')}
return {string.gsub('abc', '^a', 'x')}
return {string.gsub('abc def', '(%w+) (%w+)', '%2 %1')}
return {string.gsub('abc', 'b', true)}
return {string.gsub('abc', 'b', function() return {} end)}
return {string.gsub('abc', 'b', 5)}
local t = {} for w in string.gmatch('one two  three', '%a+') do t[#t + 1] = w end return t
local t = {} for k, v in string.gmatch('a=1, b=2', '(%w+)=(%w+)') do t[#t + 1] = k .. v end return t
local t = {} for p in string.gmatch('abc', '()') do t[#t + 1] = p end return t
return string.format('%d %5d %-5d| %05d %+d', 1, 2, 3, 4, 5)
return string.format('%s %10s %-10s| %.2s', 'a', 'b', 'c', 'defg')
return string.format('%x %X %#x %o', 255, 255, 255, 8)
return string.format('%.0f %.0f %.0f %.0f', 0.5, 1.5, 2.5, 3.5)
return string.format('%.0f', 1790000000000001)
return string.format('%.0f', 2^63)
return string.format('%.3f %8.2f %-8.2f|', 1/3, 2.345, 2.355)
return string.format('%e %.2e %E', 12345.678, 0.00012, 1)
return string.format('%g %g %g %.3g %G', 100000, 1000000, 0.0001, 1234.5, 1e-10)
return string.format('%.14g %.17g', 0.1, 0.1)
return string.format('%5.1f|%5s|%c', 2.25, 'x', 65)
return string.format('%i %u', 3.99, 7)
return string.format('%d', '10')
return string.format('%d', 'x')
return string.format('%d')
return string.format('%s')
return string.format('%s', nil)
return string.format('%s', {})
return string.format('%q', 'a "quoted" \\\\ line')
return string.format('%%')
return string.format('%y', 1)
return string.format('%d', -3.99)
return string.format('%5%')
return table.concat({1, 2, 3}, ', ')
return table.concat({'a', 'b', 'c'})
return table.concat({1, 2, 3}, '-', 2)
return table.concat({1, 2, 3}, '-', 2, 3)
return table.concat({}, 'x')
return table.concat({1, {}, 3})
return table.concat({1, nil, 3}, ',', 1, 3)
local t = {} table.insert(t, 'a') table.insert(t, 1, 'b') table.insert(t, 'c') return t
local t = {1, 2, 3} table.insert(t, 2, 'x') return t
table.insert({}, 1, 2, 3)
table.insert({})
table.insert(nil, 1)
local t = {1, 2, 3} return {table.remove(t), table.remove(t, 1), #t, t[1]}
return table.remove({}) == nil
local t = {3, 1, 2} table.sort(t) return t
local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return t
local t = {'b', 'a', 'C'} table.sort(t) return t
local t = {1, 'x'} table.sort(t)
return table.getn({1, 2, 3}) + table.maxn({1, 2, [10] = 3})
local s = 0 table.foreach({1, 2, x = 3}, function(k, v) s = s + v end) return s
local s = 0 table.foreachi({1, 2, 3}, function(i, v) s = s + i * v end) return s
table.setn({}, 1)
return {math.floor(3.7), math.floor(-3.7), math.ceil(3.2), math.ceil(-3.2), math.abs(-5)}
return {math.max(1, 5, 3), math.min(4, 2, 8)}
return math.max()
return math.floor('x')
return math.floor()
return {math.fmod(7, 3), math.fmod(-7, 3), math.pow(2, 8), math.sqrt(16)}
return {tostring(math.huge), tostring(math.pi)}
return {math.modf(3.7)} 
return {tostring(select(2, math.modf(-3.25))), select(1, math.modf(-3.25))}
return {tostring((math.frexp(10))), select(2, math.frexp(10)), math.ldexp(0.625, 4)}
return {tostring(math.log(10)), tostring(math.exp(1)), tostring(math.log10(1000))}
math.randomseed(0) return tostring(math.random())
math.randomseed(1) return {math.random(10), math.random(10), math.random(5, 6), tostring(math.random())}
math.randomseed(7) return {math.random(1000), math.random(1000)}
return math.random(0)
return math.random(5, 1)
return {bit.band(12, 10), bit.bor(12, 10), bit.bxor(12, 10), bit.bnot(0), bit.lshift(1, 31), bit.rshift(-1, 28), bit.arshift(-8, 1)}
return {bit.tobit(2^32 + 5), bit.tobit(1.5), bit.tobit(2.5), bit.tohex(255), bit.tohex(255, 4), bit.tohex(-1, -8), bit.rol(1, 33), bit.ror(1, 1), bit.bswap(1)}
return bit.band()
return cjson.encode({1, 2, {a = 1}})
return cjson.encode({})
return cjson.encode('a"b/c\\\\d')
return cjson.encode({x = cjson.null})
return cjson.encode({1, nil, 3})
return cjson.encode(12.5) .. cjson.encode(true) .. cjson.encode(nil)
return cjson.encode({[1] = 'a', [2] = 'b'})
return cjson.encode({[5] = 'a'})
return cjson.encode({[100] = 'a'})
return cjson.encode(1/0)
return cjson.encode(function() end)
return cjson.decode('{"a":[1,2,{"b":"c"}]}').a[3].b
return cjson.decode('[1,2.5,"x",true,false]')
return cjson.decode('[null]')[1] == cjson.null
return cjson.decode('"\\\\u00e9\\\\u20ac"')
return type(cjson.null)
return #cjson.decode('[]')
local a = ;
return (
x x
return 'unfinished
if true then
for i = 1 do end
return 1 return 2
break
local function f() return ... end
`
  .trim()
  .split('\n');

/** Errors further down than line 1, and what only several lines can show. */
export const LUA_LINES: readonly string[] = [
  "local a = 1\nlocal b = 2\nreturn redis.call('GET', 'l')",
  'local t = {}\n\nreturn t.x.y',
  "-- a comment\nerror('here')",
  "local function f()\n  error('inside')\nend\nf()",
  "local function f()\n  return redis.call('GET', 'l')\nend\nlocal x = f()\nreturn 1",
  "return {pcall(function()\n  error('third')\nend)}",
  '--[[ long\ncomment ]] return [[\nlong\nstring]]',
  'return [==[ a ]] b ]==]',
  'return "a\\65\\n\\t\\"\\\\z"',
  "#!lua\nreturn 'with a shebang'",
  'local a <const> = 1',
  'goto done',
];
