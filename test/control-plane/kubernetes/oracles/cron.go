package main

import (
	"encoding/json"
	"time"

	"github.com/robfig/cron/v3"
)

// The first scheduled times after a time, in seconds; null if none occurs within five years.
func init() {
	register("cron", func(question json.RawMessage) (any, error) {
		var asked struct {
			Schedule, Zone string
			After          int64
			Count          int
		}
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		schedule, err := cron.ParseStandard("TZ=" + asked.Zone + " " + asked.Schedule)
		if err != nil {
			return nil, err
		}
		found := make([]*int64, 0, asked.Count)
		for at := time.Unix(asked.After, 0).UTC(); len(found) < asked.Count; {
			at = schedule.Next(at)
			if at.IsZero() {
				return append(found, nil), nil
			}
			seconds := at.Unix()
			found = append(found, &seconds)
		}
		return found, nil
	})
}
