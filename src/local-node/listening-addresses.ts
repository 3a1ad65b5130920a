// At which addresses of this machine does a program listen? Read out of what Linux shows in /proc/net/tcp. Source: proc(5); addresses are
// numbers of the machine's byte order, of which this knows the little-endian one that all but s390x have.

const listening = '0A'

/** `table` is the file's text; the addresses are IPv4's, e.g. `127.50.0.1`. */
export function listeningAddresses(table: string): ReadonlySet<string> {
  return new Set(
    table.split('\n').flatMap((line) => {
      const [, hex = '', state] =
        /^ *\d+: ([0-9A-F]{8}):[0-9A-F]{4} [0-9A-F]{8}:[0-9A-F]{4} ([0-9A-F]{2}) /.exec(line) ?? []
      return state === listening ? [[...Buffer.from(hex, 'hex')].reverse().join('.')] : []
    }),
  )
}
