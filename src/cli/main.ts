#!/usr/bin/env node
// konverge's own program: the commands of every operator, with its own controllers. Its extra commands are an API
// server, a demonstration cluster, and the workers of Jobs.
import { enableCompileCache } from 'node:module'
import process from 'node:process'
import { runCommandLine } from './command-line.ts'
import { compileCacheFolder } from './compile-cache-folder.ts'
import { konverge } from './konverge-program.ts'
import { ownParts } from './own-parts.ts'

// The compile cache speeds up later starts. Without it, starts are only slower.
const compiled = compileCacheFolder(process.env)
if (compiled !== undefined) enableCompileCache(compiled)
process.exitCode = await runCommandLine(konverge, process.argv, ownParts)
