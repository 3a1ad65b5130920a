// Self-test of the search for secrets: it finds planted ones.
import { expect, it } from 'vitest'
import { Evidence } from './evidence.ts'

const secret = `correct"horse'battery+staple`

const hidden: Readonly<Record<string, string>> = {
  plain: `password=${secret};`,
  'in JSON': JSON.stringify({ message: `no role for ${secret}` }),
  'in SQL': `ALTER ROLE a PASSWORD 'correct"horse''battery+staple'`,
  'in a URL': `postgresql://a:${encodeURIComponent(secret)}@db`,
  'in hexadecimal': Buffer.from(secret).toString('hex'),
  'in base64': Buffer.from(secret).toString('base64'),
  'in base64, one byte on': Buffer.from(`a${secret}b`).toString('base64'),
  'in base64, two bytes on': Buffer.from(`ab${secret}`).toString('base64'),
  'in base64 for URLs': Buffer.from(`uri=${secret}&`).toString('base64url'),
}

for (const [title, text] of Object.entries(hidden)) {
  it(`is found ${title}`, () => {
    const evidence = new Evidence()
    evidence.add('log', text)
    expect(evidence.find([secret])).not.toEqual([])
    expect(evidence.find(['correct horse battery staple'])).toEqual([])
  })
}
