\version "2.24.0"

\include "parts/global.ly"
\include "parts/soprano.ly"
\include "parts/alto.ly"
\include "parts/tenor.ly"
\include "parts/bass.ly"
\include "lyrics/lyrics.ly"

#(set-global-staff-size 18)

\header {
  title = "{{title}}"
  composer = "{{composer}}"
  poet = "{{lyricist}}"
  tagline = ##f
}

\score {
  \new ChoirStaff <<
    \new Staff \with { instrumentName = "S" } <<
      \clef treble
      \new Voice = "soprano" << \global \soprano >>
      \new Lyrics \lyricsto "soprano" \verseOne
    >>
    \new Staff \with { instrumentName = "A" } <<
      \clef treble
      \new Voice = "alto" << \global \alto >>
      \new Lyrics \lyricsto "alto" \verseOne
    >>
    \new Staff \with { instrumentName = "T" } <<
      \clef "treble_8"
      \new Voice = "tenor" << \global \tenor >>
      \new Lyrics \lyricsto "tenor" \verseOne
    >>
    \new Staff \with { instrumentName = "B" } <<
      \clef bass
      \new Voice = "bass" << \global \bass >>
      \new Lyrics \lyricsto "bass" \verseOne
    >>
  >>
  \layout { }
  \midi { \tempo 4 = {{tempo}} }
}
