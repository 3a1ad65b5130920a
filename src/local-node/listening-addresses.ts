// Addresses on which programs of this machine listen, from Linux's /proc/net/tcp. Source: proc(5). The file has
// addresses in the machine's byte order; this parser supports little-endian, the order of all platforms but s390x.

const listening = '0A'

/** Returns the IPv4 addresses, e.g. `127.50.0.1`, from the text of the file. */
export function listeningAddresses(table: string): ReadonlySet<string> {
  return new Set(
    table.split('\n').flatMap((line) => {
      const [, hex = '', state] =
        /^ *\d+: ([0-9A-F]{8}):[0-9A-F]{4} [0-9A-F]{8}:[0-9A-F]{4} ([0-9A-F]{2}) /.exec(line) ?? []
      return state === listening ? [[...Buffer.from(hex, 'hex')].reverse().join('.')] : []
    }),
  )
}
