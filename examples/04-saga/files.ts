// What does a place look like that keeps folders of files? Each archive has a pointer to the folder that its readers use.
export interface Files {
  /** The names of the files in a folder; undefined: there is no such folder. */
  list(folder: string): Promise<readonly string[] | undefined>
  /** The mark on a folder; undefined: it has none, or is not there. */
  markOf(folder: string): Promise<string | undefined>
  /** Makes the folder with this mark, or goes on with it, and copies all files of another into it. `from` undefined: there are none. */
  copy(from: string | undefined, to: string, mark: string): Promise<void>
  /** None there is no failure. */
  remove(folder: string): Promise<void>
  /** Undefined: it points nowhere yet. */
  pointer(archive: string): Promise<string | undefined>
  /** Whoever reads meanwhile sees the old folder or the new one. */
  point(archive: string, folder: string): Promise<void>
}
