// Parses the body of a rejection: a Status in JSON, or the first line of another text, e.g. of a proxy or an overloaded
// server.
import { isJsonObject, type JsonObject } from '../base/json.ts'

/** Characters. The API server names each invalid field, and quotes its value. */
const longestStatus = 262_144

/** Returns a rejection as a Status. Some layers of the server, e.g. its rate limiter, answer in plain text instead. */
export function statusOf(text: string): JsonObject | undefined {
  if (text.length > longestStatus) return { message: text.slice(0, 200) }
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    const line = text.trim()
    return line === '' || line.startsWith('<') ? undefined : { message: line.slice(0, 200) }
  }
}
