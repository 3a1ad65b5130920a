// Image of this program where the user names none. Invariant: no registry serves it, so that a cluster runs what its administrator built and loaded,
// or nothing. docs/decisions/0012-a-release-has-a-scope.md.
import { packageVersion } from './package-folder.ts'

/** `localhost/konverge:<version>`, the form of an image that was built here and belongs to no registry. */
export function ownImage(): string {
  return `localhost/konverge:${packageVersion()}`
}
