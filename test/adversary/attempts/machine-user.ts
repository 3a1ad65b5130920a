// Attempts of another user of the machine on which `konverge dev` runs. Run by strangers.test.ts of cli/dev and of local-node, as the user
// `nobody` where the tests run as root, and else by the modes of the files.
const attacker = 'machine user'

export const machineUserAttempts = {
  keptFiles: {
    attacker,
    does: 'reads and writes what `konverge dev` keeps in its folder, with every name known',
    sentence: 'Only its owner can open the folders and files, by their modes.',
  },
  podFiles: {
    attacker,
    does: 'reads Secrets, tokens and logs of pods of the local node, and writes their termination logs, with every name known',
    sentence: 'Only its owner can open the folders and files, by their modes.',
  },
  apiServer: {
    attacker,
    does: 'lists Secrets at the port of the API server, without a token and with a guessed one',
    sentence: 'The server answers 401 or 403.',
  },
  logs: {
    attacker,
    does: 'reads logs of pods at the port of the local node, without a certificate and with one of his own',
    sentence: 'The node answers 401.',
  },
  link: {
    attacker,
    does: 'puts a link where a kubeconfig will be written',
    sentence: 'The token is written to a new file of its owner, and not through the link.',
  },
} as const
