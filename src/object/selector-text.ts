// Texts of label and field selectors. Pure.

/**
 * Whether a selector excludes any object, as far as its text tells. The API server reads a selector of blanks and commas as "everything", and so a field
 * selector whose terms name neither field nor value (`=`). Source: k8s.io/apimachinery/pkg/labels and pkg/fields.
 */
export function hasRequirement(selector: string | undefined): boolean {
  return typeof selector === 'string' && /[^\s,=!]/.test(selector)
}
