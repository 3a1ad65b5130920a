// Attempts of another user of the machine that runs `konverge dev`. Executed by strangers.test.ts of cli/dev and of
// local-node: as the user `nobody` if the tests run as root, else by the modes of the files.
const attacker = 'machine user'

export const machineUserAttempts = {
  keptFiles: {
    attacker,
    does: 'reads and writes the files of `konverge dev` in its folder, with every name known',
    sentence: 'File modes restrict the folders and files to their owner.',
  },
  podFiles: {
    attacker,
    does: 'reads Secrets, tokens and logs of pods of the local node, and writes their termination logs, with every name known',
    sentence: 'File modes restrict the folders and files to their owner.',
  },
  apiServer: {
    attacker,
    does: 'lists Secrets at the port of the API server, without a token and with a guessed one',
    sentence: 'The server returns 401 or 403.',
  },
  logs: {
    attacker,
    does: 'reads logs of pods at the port of the local node, without a certificate and with its own',
    sentence: 'The node returns 401.',
  },
  link: {
    attacker,
    does: 'creates a link at the path of a future kubeconfig',
    sentence: 'The program writes the token to a new file of its owner, not through the link.',
  },
} as const
