// Decoder of the format `byte`: padded base64 in the URL alphabet. Source: Go's encoding/base64.

/** Returns the bytes, or Go's error message. Ignores line breaks. */
export function decodeBase64(text: string): Uint8Array | string {
  const places = [...text.matchAll(/[^\r\n]/g)].map(({ index }) => index)
  const digits = places.map((place) => text.charAt(place)).join('')
  const [valid = ''] = /^[A-Za-z0-9_-]*/.exec(digits) ?? []
  const fault = (digit: number) => `illegal base64 data at input byte ${places[digit] ?? text.length}`
  const padding = digits.slice(valid.length)
  const last = valid.length % 4
  if (padding === '' && last === 0) return Uint8Array.from(Buffer.from(valid, 'base64url'))
  // Go reports a faulty last group at its start if only its end is wrong.
  if (padding === '') return `illegal base64 data at input byte ${text.length - last}`
  if (padding[0] !== '=' || last < 2) return fault(valid.length)
  const needed = 4 - last
  if (needed === 2 && padding[1] !== '=') return fault(valid.length + 1)
  return padding.length > needed ? fault(valid.length + needed) : Uint8Array.from(Buffer.from(valid, 'base64url'))
}
