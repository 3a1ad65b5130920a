// Texts of label and field selectors. Pure.

/**
 * True if the selector has a requirement, so that it may exclude objects. The API server reads blanks and commas as
 * "everything". The same holds for a field selector whose terms name neither field nor value (`=`). Source:
 * k8s.io/apimachinery/pkg/labels and pkg/fields.
 */
export function hasRequirement(selector: string | undefined): boolean {
  return typeof selector === 'string' && /[^\s,=!]/.test(selector)
}
