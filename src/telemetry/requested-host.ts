// Check of the Host header against DNS rebinding. Invariant: a server on loopback answers only requests for loopback. A
// web page can resolve its own name to 127.0.0.1 and read responses of a local server, but its browser sends that name.
// Pure.

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i

/**
 * Returns whether the Host header fits a server that listens at that address. A server that other machines reach
 * accepts every name.
 */
export function isRequestedHost(header: string | undefined, listensAt: string): boolean {
  if (!loopback.test(listensAt)) return true
  // Only HTTP/1.0 has no such header, and no browser uses HTTP/1.0.
  return header === undefined || loopback.test(header.replace(/:\d*$/, ''))
}
