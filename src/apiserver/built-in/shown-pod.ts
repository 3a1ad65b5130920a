// How does the server print pods in an error? As it prints all structs (shown-form.ts): every field of every part, by the
// names of its internal types.
import type { Json, JsonObject } from '../../base/json.ts'

export function shownPodTemplate(template: JsonObject): Json {
  return template
}

export function shownPodSpec(pod: JsonObject): Json {
  return pod
}
