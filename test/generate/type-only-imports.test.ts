import { describe, expect, it } from 'vitest'
import { typeOnlyImports } from '../../src/generate/type-only-imports.ts'

describe('typeOnlyImports', () => {
  it.each([
    [
      "import { ApiObject, ApiObjectMetadata, GroupVersionKind } from 'cdk8s';",
      "import { ApiObject, type ApiObjectMetadata, type GroupVersionKind } from 'cdk8s';",
    ],
    ["import { Construct } from 'constructs';", "import type { Construct } from 'constructs';"],
    ["import { Other } from 'elsewhere';", "import { Other } from 'elsewhere';"],
    [" * import { Construct } from 'constructs';", " * import { Construct } from 'constructs';"],
  ])('turns %s into a module import that Node can load', (before, after) => {
    expect(typeOnlyImports(`// first\n${before}\nrest`)).toBe(`// first\n${after}\nrest`)
  })
})
