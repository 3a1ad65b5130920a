// How are many claims named in a message that people read? The first few, and how many more there are. Pure.

/** How many claims a message names; an Event holds 1,024 characters. */
const listedClaims = 8

/** `data-cart-0, data-cart-1 and 3 more` */
export function listOf(names: readonly string[]): string {
  const more = names.length > listedClaims ? ` and ${names.length - listedClaims} more` : ''
  return names.slice(0, listedClaims).join(', ') + more
}
