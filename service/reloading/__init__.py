"""Hot reload: look at the apps' files, load what changed beside what runs, swap."""
