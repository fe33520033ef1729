/** What a ZooKeeper URL and the options beside it may be, and what a refusal says. */
import { describe, expect, it } from 'vitest'
import { readAddress, type ZooKeeperOptions } from '../../src/backends/zookeeper/address.ts'
import { zookeeper } from '../../src/backends/zookeeper/index.ts'
import { SimbaError } from '../../src/model/errors.ts'

const read = (url: string, options: ZooKeeperOptions = {}) => readAddress(url, options)

describe('a URL', () => {
  it('has hosts, with a port or without', () => {
    const hosts = (url: string) => read(url).hosts.map(({ host, port }) => `${host} ${port}`)
    expect(hosts('zookeeper://a')).toEqual(['a 2181'])
    expect(hosts('zookeeper://a:1,b:65535,c')).toEqual(['a 1', 'b 65535', 'c 2181'])
    expect(hosts('zookeeper://[::1]:2182,[fe80::1%eth0],10.0.0.1:2183/x')).toEqual([
      '::1 2182',
      'fe80::1%eth0 2181',
      '10.0.0.1 2183',
    ])
  })

  it('may have a path below which everything is', () => {
    const chroot = (url: string) => read(url).chroot
    expect(chroot('zookeeper://a')).toBe('')
    expect(chroot('zookeeper://a/')).toBe('')
    expect(chroot('zookeeper://a/x')).toBe('/x')
    expect(chroot('zookeeper://a,b//x///y/')).toBe('/x/y')
    expect(chroot('zookeeper://a/b%20c')).toBe('/b c')
  })

  it('may have a user, or the options have', () => {
    const digest = (url: string, options?: ZooKeeperOptions) => read(url, options).digest
    expect(digest('zookeeper://a')).toBeUndefined()
    expect(digest('zookeeper://me:secret@a')).toBe('me:secret')
    expect(digest('zookeeper://m%65:s%3Aecret%40%2F:x@a')).toBe('me:s:ecret@/:x')
    expect(digest('zookeeper://me:@a')).toBe('me:')
    expect(digest('zookeeper://a', { username: 'me', password: 'secret' })).toBe('me:secret')
    expect(digest('zookeeper://me@a', { password: 'secret' })).toBe('me:secret')
    expect(digest('zookeeper://you:old@a', { username: 'me', password: 'new' })).toBe('me:new')
  })

  it('may have the tick of the ensemble, or the options have', () => {
    expect(read('zookeeper://a').tickMs).toBe(2_000)
    expect(read('zookeeper://a?tickTime=500').tickMs).toBe(500)
    expect(read('zookeeper://a/x?tickTime=500', { tickTime: 60_000 }).tickMs).toBe(60_000)
  })

  it.each([
    ['', /the URL is in another form/],
    ['zookeeper:a', /the URL is in another form/],
    ['http://a', /the URL is in another form/],
    ['zookeeper://a#b', /the URL is in another form/],
    ['zookeeper://', /a host is ""/],
    ['zookeeper://a,,b', /a host is ""/],
    ['zookeeper://a:b', /a host is "a:b"/],
    ['zookeeper://a:65536', /a host is "a:65536"/],
    ['zookeeper://::1', /a host is "::1".*\[::1\]/],
    ['zookeeper://a b', /a host is "a b"/],
    ['zookeeper://a/x/../y', /the path is "\/x\/..\/y"/],
    ['zookeeper://a/x/.', /the path is/],
    ['zookeeper://a/%00', /the path is/],
    ['zookeeper://a/zookeeper/x', /not below \/zookeeper/],
    ['zookeeper://a/%zz', /the path is badly encoded/],
    ['zookeeper://secret@a', /the user is incomplete/],
    ['zookeeper://:secret@a', /the user is incomplete/],
    ['zookeeper://a?tickTime=', /the query is "tickTime="/],
    ['zookeeper://a?tick=5', /the query is "tick=5"/],
    ['zookeeper://a?tickTime=0', /tickTime is 0; allowed is 1 to 60000/],
    ['zookeeper://a?tickTime=60001', /tickTime is 60001/],
  ])('may not be %s', (url, message) => {
    expect(() => zookeeper(url)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
    expect(() => zookeeper(url)).toThrow(message)
  })

  it('that is refused does not tell its password', () => {
    for (const url of ['zookeeper://me:secret@', 'zookeeper://me:secret@a#', 'zookeeper://me:secret%zz@a', 'secret']) {
      try {
        zookeeper(url)
        expect.fail(url)
      } catch (error) {
        expect(error).toBeInstanceOf(SimbaError)
        expect((error as SimbaError).message).not.toContain('secret')
      }
    }
  })
})

describe('the options', () => {
  const make = zookeeper as (...args: unknown[]) => unknown

  it.each([
    [[7], /the URL is a number/],
    [[undefined], /the URL is a undefined/],
    [['zookeeper://a', null], /The options of zookeeper\(\) are null/],
    [['zookeeper://a', 'x'], /The options of zookeeper\(\) are x/],
    [['zookeeper://a', { tick: 5 }], /zookeeper\(\) has no option 'tick'; allowed are tickTime, username, password/],
    [['zookeeper://a', { tickTime: '2s' }], /tickTime is 2s/],
    [['zookeeper://a', { tickTime: Number.NaN }], /tickTime is NaN/],
    [['zookeeper://a', { username: 'a:b', password: 'c' }], /a username without a colon/],
    [['zookeeper://a', { password: 'c' }], /the user is incomplete/],
    [['zookeeper://a', { username: 'c', password: 7 }], /the user is incomplete/],
  ])('may not be %j', (args, message) => {
    expect(() => make(...args)).toThrow(message)
  })
})
