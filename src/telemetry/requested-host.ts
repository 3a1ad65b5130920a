// Check of the Host header. Invariant: a server on loopback answers only requests for loopback. A web page can make a name of its own lead to 127.0.0.1
// (DNS rebinding) and then read what a server of this machine answers, but its browser sends that name. Pure.

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i

/** Was the server meant by this Host header, if it listens at that address? Every name is right for a server that other machines reach. */
export function isRequestedHost(header: string | undefined, listensAt: string): boolean {
  if (!loopback.test(listensAt)) return true
  // Only HTTP/1.0 has no such header, and no browser speaks it.
  return header === undefined || loopback.test(header.replace(/:\d*$/, ''))
}
