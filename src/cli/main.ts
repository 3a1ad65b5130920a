#!/usr/bin/env node
// konverge's own program: the commands of every operator, with its own controllers, and what it alone has: an API server, a cluster to look at,
// and the work of Jobs.
import { enableCompileCache } from 'node:module'
import process from 'node:process'
import { runCommandLine } from './command-line.ts'
import { compileCacheFolder } from './compile-cache-folder.ts'
import { konverge } from './konverge-program.ts'
import { ownParts } from './own-parts.ts'

// What the commands load is compiled once for many starts. Where the cache cannot be written, nothing is lost but time.
const compiled = compileCacheFolder(process.env)
if (compiled !== undefined) enableCompileCache(compiled)
process.exitCode = await runCommandLine(konverge, process.argv, ownParts)
