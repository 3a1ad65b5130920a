// Compiles a folder of TypeScript under the flags of this project, in one run of the compiler.
import { readdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import ts from 'typescript'

/** Makes the folder a package of ES modules that resolves the packages of this project. */
export async function makePackage(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
}

/** Returns the errors of the compiler, each as `file:line message`. */
export async function compileErrors(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const files = names.filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, process.cwd())
  const { tsBuildInfoFile: _, ...flags } = options
  const program = ts.createProgram(
    files.map((name) => join(folder, name)),
    { ...flags, noEmit: true, composite: false, incremental: false, rootDir: '/', types: [] },
  )
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start = 0 }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1
    return `${file?.fileName.slice(folder.length + 1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}
