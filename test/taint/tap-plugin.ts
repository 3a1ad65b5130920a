// Lets modules of src/ meet the taps as tests load them: a line is added at the end of each, which hands over what the module keeps to
// itself. The program itself has no trace of it.
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/** By file; each is evaluated in its module. */
const lines: Readonly<Record<string, (taps: string) => string>> = {
  'src/apiserver/object-log.ts': (taps) => `${taps}.objectLog(ObjectLog)`,
  'src/kube/http-client.ts': (taps) => `${taps}.http(HttpClient)`,
  'src/kube/fetch-client.ts': (taps) => `${taps}.http(FetchClient)`,
  'src/telemetry/logger.ts': (taps) => `${taps}.logger(Logger, redact)`,
  'src/telemetry/metrics.ts': (taps) => `${taps}.metrics(PrometheusMetrics)`,
  'src/telemetry/tracer.ts': (taps) => `${taps}.tracer(OpenTelemetryTracer); ${taps}.span(RecordedSpan)`,
  'src/base/instrument.ts': (taps) => `${taps}.silent(silentInstruments)`,
  'src/base/random.ts': (taps) => `passwordFrom = ${taps}.password(passwordFrom)`,
  'src/base/errors.ts': (taps) => `CodedError = ${taps}.error(CodedError)`,
  'src/controllers/stores/folder-store-driver.ts': (taps) => `${taps}.store(FolderStore)`,
  'src/controllers/stores/s3-store-driver.ts': (taps) => `${taps}.store(S3Store)`,
}

/** Files that are tapped, for the test that looks whether they are there. */
export const tappedFiles: readonly string[] = Object.keys(lines)

/** The plugin of vitest.config.ts. */
export function tapPlugin(root: string): Plugin {
  return {
    name: 'konverge-taint',
    enforce: 'pre',
    load(id) {
      const path = id.split('?')[0] ?? id
      const line = path.startsWith(`${root}/`) ? lines[path.slice(root.length + 1)] : undefined
      if (line === undefined) return undefined
      const taps = "globalThis[Symbol.for('konverge.taps')]"
      return `${readFileSync(path, 'utf8')}\nif (${taps} !== undefined) { ${line(taps)} }\n`
    },
  }
}
