// Fixture: texts from all outputs with their sources, searched for secrets in every encoding in which a secret could
// appear (I11).

export class Evidence {
  readonly #texts: { readonly source: string; readonly text: string }[] = []

  add(source: string, text: string): void {
    this.#texts.push({ source, text })
  }

  get sources(): ReadonlySet<string> {
    return new Set(this.#texts.map(({ source }) => source))
  }

  /** Places of secrets, as `source: …the text around it…`. */
  find(secrets: Iterable<string>): readonly string[] {
    const spellings = [...new Set([...secrets].flatMap(spellingsOf))]
    return this.#texts.flatMap(({ source, text }) =>
      spellings
        .filter((spelling) => text.includes(spelling))
        .map((spelling) => `${source}: ${around(text, text.indexOf(spelling))}`),
    )
  }
}

/** Encodings of a secret: plain, JSON, SQL, URL, and as a part of a base64 or hexadecimal text. */
export function spellingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  // Three bytes are four letters: preceding bytes shift the encoding, and letters at the edges encode neighbours too.
  const inBase64 = [0, 1, 2].flatMap((shift) => {
    const letters = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const own = letters.slice(Math.ceil((shift * 8) / 6), -1)
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [secret, json, secret.replaceAll("'", "''"), encodeURIComponent(secret), bytes.toString('hex'), ...inBase64]
}

function around(text: string, at: number): string {
  return text.slice(Math.max(0, at - 120), at + 120)
}
