// Which bytes does a text of format `byte` stand for? Base64 in the alphabet for URLs, padded. Source: Go's encoding/base64.

/** The bytes, or Go's words for why there are none. Line breaks are ignored. */
export function decodeBase64(text: string): Uint8Array | string {
  const places = [...text.matchAll(/[^\r\n]/g)].map(({ index }) => index)
  const digits = places.map((place) => text.charAt(place)).join('')
  const [valid = ''] = /^[A-Za-z0-9_-]*/.exec(digits) ?? []
  const fault = (digit: number) => `illegal base64 data at input byte ${places[digit] ?? text.length}`
  const padding = digits.slice(valid.length)
  const last = valid.length % 4
  if (padding === '' && last === 0) return Uint8Array.from(Buffer.from(valid, 'base64url'))
  // A group that ends the text is reported where it begins, if nothing but its end is wrong with it.
  if (padding === '') return `illegal base64 data at input byte ${text.length - last}`
  if (padding[0] !== '=' || last < 2) return fault(valid.length)
  const needed = 4 - last
  if (needed === 2 && padding[1] !== '=') return fault(valid.length + 1)
  return padding.length > needed ? fault(valid.length + needed) : Uint8Array.from(Buffer.from(valid, 'base64url'))
}
