// Port to a store of folders. Each archive has a pointer to the folder that its readers use.
export interface Files {
  /** Returns the names of the files in a folder; undefined: the folder does not exist. */
  list(folder: string): Promise<readonly string[] | undefined>
  /** Returns the mark on a folder; undefined: it has none, or does not exist. */
  markOf(folder: string): Promise<string | undefined>
  /**
   * Creates the folder with this mark, or continues it, and copies all files of another into it. `from` undefined:
   * there are none.
   */
  copy(from: string | undefined, to: string, mark: string): Promise<void>
  /** Succeeds if the folder does not exist. */
  remove(folder: string): Promise<void>
  /** Undefined: no pointer exists yet. */
  pointer(archive: string): Promise<string | undefined>
  /** Concurrent readers see the old folder or the new one. */
  point(archive: string, folder: string): Promise<void>
}
