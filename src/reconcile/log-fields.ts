// How is a resource named in a log line?
import type { LogFields } from '../base/instrument.ts'
import type { LiveObject } from '../object/object.ts'

export function logFieldsOf({ metadata: { namespace, name, generation } }: LiveObject): LogFields {
  return { namespace, name, generation }
}
