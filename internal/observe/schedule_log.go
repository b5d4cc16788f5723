package observe

import (
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/schedule"
)

// The run logs that have keys of their own, and after how many hours without a
// run each is stale.
const (
	bookkeepingH = 2 * 24
	dreamH       = 7 * 24
)

// logEnd is how much of a log's end is read for its last line.
const logEnd = 256 << 10

// logs reads every run log that the configuration names. Of two with one name
// the first counts.
func (r *scheduleReading) logs() []*planned {
	list := r.scope.RunLogs
	for _, l := range []config.RunLog{{Source: "bookkeeping", Path: r.scope.BookkeepingLog, StaleAfterH: bookkeepingH},
		{Source: "dream", Path: r.scope.DreamLog, StaleAfterH: dreamH}} {
		if l.Path != "" {
			list = append(list[:len(list):len(list)], l)
		}
	}
	var ps []*planned
	named := map[string]*planned{}
	for _, l := range list {
		name := guard.Text(l.Source, nameColumns)
		if p := named[name]; p != nil {
			p.refuse(errors.New("two run logs have this name"))
			continue
		}
		p := newPart("schedule/log:" + name)
		named[name] = p
		ps = append(ps, p)
		log := schedule.Log{Name: l.Source, StaleAfter: time.Duration(l.StaleAfterH) * time.Hour}
		if err := r.log(l.Path, &log); err != nil {
			p.refuse(at(l.Path, err))
			continue
		}
		p.rows = append(p.rows, log.Record(r.look))
	}
	return ps
}

// nameColumns is how much of a log's name is shown.
const nameColumns = 60

// log reads the time and the last line of a log. A log that is not there is
// none yet.
func (r *scheduleReading) log(abs string, log *schedule.Log) (err error) {
	if log.Written, log.There, err = r.modTime(abs); err != nil || !log.There {
		return err
	}
	f, err := r.w.FS.Open(machine.Path(abs))
	if errors.Is(err, fs.ErrNotExist) {
		log.There, log.Written = false, time.Time{} // it was removed meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	ra, ok := f.(io.ReaderAt)
	if !ok {
		return errors.New("its end cannot be read")
	}
	buf := make([]byte, min(info.Size(), logEnd))
	if n, err := ra.ReadAt(buf, info.Size()-int64(len(buf))); err != nil && !(err == io.EOF && n == len(buf)) {
		return err
	}
	log.Last = schedule.ParseLine(buf, int64(len(buf)) == info.Size())
	if r.w.Rec != nil {
		var b []byte
		if log.Last != nil {
			b, err = log.Last.Encode()
		}
		r.w.Rec.File(abs, b, err)
	}
	return nil
}
